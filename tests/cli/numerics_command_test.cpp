#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "support/golden.h"

namespace {

using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using edgenpu::test::read_values;
using ::testing::HasSubstr;

const std::string kModel = "numerics --gguf tests/data/tiny_models/tiny_qwen2.Q4_K_M.gguf ";
const std::string kTokens = "--tokens '1 300 17 262 311 5 98 273 250 44 266 120 303 280 259 77' ";
const std::string kNpu = "--arithmetic npu --hardware hw_configs/npu/npu-raiderchip-asic.yaml ";

std::string logits(const std::string& options) {
  return edgenpu(kModel + kTokens + options + " --logits -").text;
}

std::string expected(const std::string& which) {
  const auto bytes = read_values<char>("tiny_models/logits/tiny_qwen2.Q4_K_M." + which + ".f32.bin");
  return {bytes.begin(), bytes.end()};
}

double value_after(const std::string& text, const std::string& label) {
  return std::stod(text.substr(text.find(label) + label.size()));
}

TEST(NumericsCommand, WritesTheLogitsOfLlamaCppBitForBit) {
  EXPECT_TRUE(logits("--arithmetic ggml") == expected("prefill"));
  EXPECT_TRUE(logits("--arithmetic ggml --mode decode --greedy 8") == expected("decode"));
}

TEST(NumericsCommand, WritesLogitsToAFileWholeOrNotAtAll) {
  const auto path = std::filesystem::temp_directory_path() / "edgenpu_cli_logits.bin";
  std::filesystem::remove(path);
  EXPECT_EQ(edgenpu(kModel + "--tokens '1 999' --logits " + path.string()).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(edgenpu(kModel + "--tokens '1 2' --logits " + path.string()).exit_code, 0);
  EXPECT_EQ(std::filesystem::file_size(path), 2u * 320 * 4);
  std::filesystem::remove(path);
}

TEST(NumericsCommand, ReportsAgreementWithFloat) {
  const Output out = edgenpu(kModel + kTokens + "--arithmetic ggml");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_GE(value_after(out.text, "top-1 agreement "), 14.0 / 16);
  EXPECT_NEAR(value_after(out.text, "rms "), 0.08, 0.005);  // what llama.cpp itself is off
  EXPECT_LT(value_after(out.text, "max "), 0.53);
  EXPECT_GT(value_after(out.text, "KL "), 0);
  EXPECT_LT(value_after(out.text, "KL "), 0.01);
}

TEST(NumericsCommand, ReportsEachProductOnRequest) {
  EXPECT_THAT(edgenpu(kModel + "--tokens 1,2 --arithmetic ggml --operators").text,
              HasSubstr("blk.1.ffn_down.weight"));
}

TEST(NumericsCommand, TakesTheEnginesArithmeticFromTheHardwareAndItsOverrides) {
  const Output wide = edgenpu(kModel + kTokens + kNpu),
               narrow = edgenpu(kModel + kTokens + kNpu + "--set arithmetic.accumulator_bits=20");
  EXPECT_EQ(wide.exit_code, 0) << wide.errors;
  EXPECT_GT(value_after(narrow.text, "KL "), 10 * value_after(wide.text, "KL "));
}

TEST(NumericsCommand, ComparesQuantisersOnATensor) {
  EXPECT_THAT(edgenpu(kModel + "--quantisers blk.0.attn_q.weight").text, HasSubstr("clipped of 128"));
}

void expect_refused(const std::string& arguments, const std::string& message) {
  const Output out = edgenpu(arguments);
  EXPECT_EQ(out.exit_code, 2) << arguments;
  EXPECT_THAT(out.errors, HasSubstr(message)) << arguments;
  EXPECT_EQ(out.text, "");
}

TEST(NumericsCommand, RefusesBadInput) {
  expect_refused("numerics --tokens 1", "--gguf: is needed");
  expect_refused(kModel, "--tokens: is needed");
  expect_refused(kModel + "--tokens ''", "no tokens");
  expect_refused(kModel + "--tokens '1 x'", "--tokens: found 'x'; whole numbers are allowed");
  expect_refused(kModel + "--tokens '1 2.5'", "--tokens: found '2.5'");
  expect_refused(kModel + "--tokens '99999999999'", "--tokens: found '99999999999'");
  expect_refused(kModel + "--tokens '320'", "token 0: 320; the vocabulary has 0 to 319");
  expect_refused(kModel + "--tokens 1 --arithmetic ggm", "did you mean 'ggml'?");
  expect_refused(kModel + "--tokens 1 --kv q5_0", "--kv: found 'q5_0'; allowed: f32, f16, q8_0, q4_0");
  expect_refused(kModel + "--tokens 1 --greedy 2", "--greedy");
  expect_refused(kModel + "--tokens 1 --arithmetic npu", "--hardware: is needed");
  expect_refused(kModel + "--tokens 1 --hardware x", "--hardware: goes with --arithmetic npu");
  expect_refused(kModel + "--tokens 1 " + kNpu + "--set arithmetic.accumulator_bit=20", "accumulator_bits");
  expect_refused(kModel + "--tokens 1 " + kNpu + "--set arithmetic.accumulator_bits=4", "8");
  expect_refused("numerics --gguf README.md --tokens 1",
                 "README.md: byte 0: magic: the file does not start with 'GGUF'");
  expect_refused("numerics --gguf nowhere.gguf --tokens 1", "nowhere.gguf: cannot be opened");
}

TEST(NumericsCommand, RefusesWeightsThatGiveNoNumbers) {
  const auto path = std::filesystem::temp_directory_path() / "edgenpu_cli_not_finite.gguf";
  std::filesystem::copy_file(
      std::string(EDGENPU_SOURCE_DIR) + "/tests/data/tiny_models/tiny_qwen2.Q4_K_M.gguf", path,
      std::filesystem::copy_options::overwrite_existing);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto half = std::filesystem::file_size(path) / 2;
    file.seekp(static_cast<std::streamoff>(half));
    file << std::string(half, '\xff');  // scales that are no numbers
  }
  for (const char* options : {"", " --no-compare", " --arithmetic ggml"}) {
    const Output out = edgenpu("numerics --tokens '1 2' --gguf " + path.string() + options);
    EXPECT_EQ(out.exit_code, 2) << options;
    EXPECT_EQ(out.text, "");
    EXPECT_THAT(out.errors, HasSubstr("the logits of position 0 (token 1) are no finite numbers"));
  }
  std::filesystem::remove(path);
}

}  // namespace
