#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace {

using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kAsic = "run --hardware hw_configs/npu/npu-raiderchip-asic.yaml ";
const std::string kSmall = kAsic + "--model llama-3.2-1b ";

void expect_refused(const std::string& arguments, int code, const std::string& message) {
  const Output out = edgenpu(arguments);
  EXPECT_EQ(out.exit_code, code) << arguments;
  EXPECT_THAT(out.errors, HasSubstr(message)) << arguments;
  EXPECT_EQ(out.text, "") << "nothing half-written";
}

TEST(RunCommand, PrintsATableForPeople) {
  const Output out = edgenpu(kSmall);
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_EQ(out.errors, "");
  EXPECT_THAT(out.text, StartsWith("llama-3.2-1b Q4_K_M, decode"));
  EXPECT_THAT(out.text, HasSubstr("tokens/s"));
  EXPECT_THAT(out.text, HasSubstr("Time by cause"));
}

TEST(RunCommand, PrintsJsonAndNothingElseOnADash) {
  const Output out = edgenpu(kSmall + "--json -");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, StartsWith("{\n  \"schema\": 1,"));
}

TEST(RunCommand, WritesAWholeJsonFileOrNone) {
  const auto folder = std::filesystem::temp_directory_path() / "edgenpu_cli_json";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  EXPECT_EQ(edgenpu(kSmall + "--json " + (folder / "r.json").string()).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "r.json"));
  EXPECT_EQ(edgenpu(kAsic + "--model llama-3.1-8b --set 'memory.capacity=4 GiB' --json " +
                    (folder / "s.json").string())
                .exit_code,
            3);
  EXPECT_FALSE(std::filesystem::exists(folder / "s.json"));
  std::filesystem::remove_all(folder);
}

TEST(RunCommand, ExplainsItselfWithAnExample) {
  const Output out = edgenpu("run --help");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, HasSubstr("Example:\n  " EDGENPU_BINARY " run --hardware"));
}

TEST(RunCommand, RefusesAnUnknownModelAndNamesTheNearest) {
  expect_refused(kAsic + "--model llama-3.1-9b", 2, "did you mean 'llama-3.1-8b'?");
}

TEST(RunCommand, RefusesAnUnknownQuantisationAndNamesTheNearest) {
  expect_refused(kSmall + "--quant Q4_K_N", 2, "Q4_K_M");
}

TEST(RunCommand, RefusesAnUnknownOption) {
  expect_refused(kSmall + "--contxt 5", 2, "did you mean '--context'?");
}

TEST(RunCommand, RefusesAnUnknownSubcommand) {
  expect_refused("rnu", 2, "did you mean 'run'?");
}

TEST(RunCommand, RefusesANegativeContext) {
  expect_refused(kSmall + "--context=-5", 2,
                 "--context: '-5' is not allowed; a whole number of at least 0 is needed");
}

TEST(RunCommand, RefusesAContextThatIsNoNumber) {
  expect_refused(kSmall + "--context many", 2, "--context: 'many'");
}

TEST(RunCommand, RefusesAMissingHardwareFile) {
  expect_refused("run --hardware none.yaml --model llama-3.2-1b", 2, "none.yaml: cannot read this file");
}

TEST(RunCommand, RefusesAMissingModelOption) {
  expect_refused(kAsic, 2, "--model: is needed");
}

TEST(RunCommand, RefusesAnUnknownKeyInAnOverride) {
  expect_refused(kSmall + "--set memory.chanels=4", 2, "did you mean 'channels'?");
}

TEST(RunCommand, RefusesAnOverrideWithoutUnit) {
  expect_refused(kSmall + "--set scratchpad.size=2", 2, "--set scratchpad.size=2: 'size': '2' has no unit");
}

TEST(RunCommand, RefusesAModelThatDoesNotFitWithTheBytes) {
  expect_refused(kAsic + "--model llama-3.1-8b --set 'memory.capacity=4 GiB'", 3, "needs 5584118016 B");
}

TEST(RunCommand, RefusesAContextThatDoesNotFitWithTheBytes) {
  expect_refused(kAsic + "--model llama-3.1-8b --context 120000", 3, "KV cache 15728771072 B");
}

TEST(RunCommand, RefusesAPromptForADecodeStepAndABatchForAPrefill) {
  expect_refused(kSmall + "--prompt 64", 2, "--prompt: a decode step has no new prompt");
  expect_refused(kSmall + "--phase prefill --batch 2", 2, "--batch: a prefill step is of one request");
}

TEST(RunCommand, NamesACapacityThatTheChannelsCanShare) {
  expect_refused(kSmall + "--set memory.channels=9", 2,
                 "give a capacity that can, for example 17179803648 B");
  EXPECT_EQ(edgenpu(kSmall + "--set memory.channels=9 --set 'memory.capacity=17179803648 B'").exit_code, 0);
}

TEST(RunCommand, NotesAContextBeyondTheModelsPositions) {
  const std::string small = kAsic + "--model tinyllama-1.1b --context ";
  EXPECT_THAT(edgenpu(small + "2047").text, Not(HasSubstr("max_position")));
  EXPECT_THAT(edgenpu(small + "2048").text,
              HasSubstr("the step reaches position 2049, the model was made for 2048"));
}

TEST(TraceCommand, GeneratesWhatRunReplays) {
  const auto file = std::filesystem::temp_directory_path() / "edgenpu_cli_trace.yaml";
  EXPECT_EQ(edgenpu("trace generate --model llama-3.2-1b --context 10 --out " + file.string()).exit_code, 0);
  const Output shown = edgenpu("trace show " + file.string());
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.text, HasSubstr("blk.15.ffn_down"));
  const Output replayed = edgenpu(kAsic + "--trace " + file.string());
  EXPECT_EQ(replayed.exit_code, 0);
  EXPECT_THAT(replayed.text, HasSubstr("10 tokens cached"));
  std::filesystem::remove(file);
}

TEST(TraceCommand, RefusesAMissingFile) {
  expect_refused("trace show none.yaml", 2, "none.yaml: cannot read");
}

}  // namespace
