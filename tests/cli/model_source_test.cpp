// Where models come from, on the command line: files, topologies, transformations, and what is refused.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace {

using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kRun = "run --hardware hw_configs/npu/npu-raiderchip-asic.yaml ";
const std::string kTiny = "tests/data/tiny_models/tiny_llama.Q4_K_M.gguf";

void expect_refused(const std::string& arguments, int code, const std::string& message) {
  const Output out = edgenpu(arguments);
  EXPECT_EQ(out.exit_code, code) << arguments;
  EXPECT_THAT(out.errors, HasSubstr(message)) << arguments;
  EXPECT_EQ(out.text, "") << "nothing half-written";
}

TEST(ModelSource, RunsAGgufFileWithItsOwnTypes) {
  const Output out = edgenpu(kRun + "--context 20 --model " + kTiny);
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, StartsWith("tiny-llama-4l Q4_K_M, decode, 20 tokens cached"));
  expect_refused(kRun + "--quant Q8_0 --model " + kTiny, 2, "--quant: 'Q8_0' is given with");
}

TEST(ModelSource, GivesTheSameTraceFromConfigAndFromModels) {
  const std::string options = " --quant Q4_K_M --context 100";
  EXPECT_EQ(edgenpu("trace generate --model tests/data/hf/llama-3.1-8b.json" + options).text,
            edgenpu("trace generate --model llama-3.1-8b" + options).text);
}

// An export of ModelOpt may say nothing of its weights in config.json itself.
TEST(ModelSource, ReadsTheQuantisationOfTheFileBesideAConfig) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "edgenpu-modelopt";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy_file(EDGENPU_SOURCE_DIR "/tests/data/hf/llama-3.1-8b.json", folder / "config.json");
  const auto beside = [&](const std::string& text) {
    std::ofstream(folder / "hf_quant_config.json") << text;
  };
  const std::string generate = "trace generate --context 100 --model ",
                    file = (folder / "config.json").string();
  beside(R"({"quantization": {"quant_algo": "NVFP4", "group_size": 16, "exclude_modules": ["lm_head"]}})");
  EXPECT_EQ(edgenpu(generate + file).text, edgenpu(generate + "llama-3.1-8b --quant nvfp4").text);
  beside("{\"quantization\": {\n\"quant_algo\": \"FP8\"}}");
  expect_refused(generate + file, 2,
                 "hf_quant_config.json:2:15: 'quantization' describes weights that no mixture");
  EXPECT_EQ(edgenpu(generate + file + " --quant Q8_0").exit_code, 0) << "the user has the last word";
  fs::remove_all(folder);
}

TEST(ModelSource, RefusesATruncatedGgufFileWithTheByte) {
  const auto path = std::filesystem::temp_directory_path() / "edgenpu-truncated.gguf";
  std::filesystem::copy_file(EDGENPU_SOURCE_DIR "/" + kTiny, path,
                             std::filesystem::copy_options::overwrite_existing);
  for (const std::uintmax_t size : {0, 3, 30, 5000, 100'000}) {
    std::filesystem::resize_file(path, std::min(size, std::filesystem::file_size(path)));
    const Output out = edgenpu(kRun + "--model " + path.string());
    EXPECT_EQ(out.exit_code, 2);
    EXPECT_THAT(out.errors, HasSubstr("edgenpu-truncated.gguf: "));
    std::filesystem::copy_file(EDGENPU_SOURCE_DIR "/" + kTiny, path,
                               std::filesystem::copy_options::overwrite_existing);
  }
  std::filesystem::remove(path);
}

TEST(ModelSource, RefusesAPromptOfNothing) {
  expect_refused(kRun + "--model llama-3.2-1b --phase prefill --prompt 0", 2, "--prompt: '0' is not allowed");
}

TEST(ModelSource, ImportsATopologyThatRuns) {
  const auto path = (std::filesystem::temp_directory_path() / "edgenpu-topology.yaml").string();
  EXPECT_EQ(edgenpu("trace import traces/scalesim/alexnet-conv.csv --format W8 --out " + path).exit_code, 0);
  const Output out = edgenpu(kRun + "--trace " + path);
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, StartsWith("alexnet-conv W8"));
  std::filesystem::remove(path);
  expect_refused("trace import models/phi-2.yaml", 2, "models/phi-2.yaml:1:1: unknown header");
}

TEST(ModelSource, TransformsAModel) {
  const Output out = edgenpu(kRun + "--model llama-3.1-8b --transform prune-rows-25");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, StartsWith("llama-3.1-8b+prune-rows-25"));
  expect_refused(kRun + "--model llama-3.1-8b --transform prune-row-25", 2, "did you mean 'prune-rows-25'?");
}

}  // namespace
