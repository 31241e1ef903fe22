// What a user sets and what does not take it: through the built tool, with exit codes.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command_line.h"

namespace {

using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;

const std::string kStep = " --model smollm2-135m --context 16 ";
const std::string kAsic = "run --hardware hw_configs/npu/npu-raiderchip-asic.yaml" + kStep;

void expect_refused(const std::string& arguments, const std::string& message) {
  const Output out = edgenpu(arguments);
  EXPECT_EQ(out.exit_code, 2) << arguments;
  EXPECT_THAT(out.errors, HasSubstr(message)) << arguments;
  EXPECT_EQ(out.text, "") << "nothing half-written";
}

TEST(KeysCommand, RefusesWhatOnlyAnotherCommandReads) {
  expect_refused(kAsic + "--set arithmetic.foo=8", "unknown key 'foo' in 'arithmetic'");
  expect_refused(kAsic + "--set memory.energy.read_cor='1 pJ/bit'", "unknown key 'read_cor'");
}

TEST(KeysCommand, TakesOnePriceAlone) {
  const Output out =
      edgenpu(kAsic + "--set energy.components.matrix.actions.mac_int4_int8='0.2 pJ' --json -");
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  expect_refused(
      kAsic + "--set energy.components.matrix.actions.mac_int4_int8='{value: 2 pJ, low: 3 pJ, high: 4 pJ}'",
      "the value '2 pJ' must lie between low ('3 pJ') and high ('4 pJ')");
}

TEST(KeysCommand, RefusesOneThingSetTwice) {
  expect_refused(kAsic + "--set dma.channels=2 --set dma.channels=4", "'dma.channels' is set already");
  expect_refused("memory --memory lpddr5-6400 --pattern seq_rd --requests 10 --refresh pb --set refresh=ab",
                 "--refresh sets 'refresh' as well");
  expect_refused(
      "power --hardware hw_configs/npu/npu-raiderchip-asic.yaml --out /tmp/never --operating-point low" +
          kStep + "--set clock='1 GHz'",
      "'clock' is set already");
}

TEST(KeysCommand, BlamesAPeakThatTheKernelsGoThrough) {
  expect_refused(
      "run --hardware hw_configs/cpu/cpu-rk3588.yaml" + kStep + "--set core.peak.int8=0.02",
      "--set core.peak.int8=0.02: 'core.peak': the runtime's kernels multiply faster than this peak allows");
}

TEST(KeysCommand, NamesAMappingForTwoRanks) {
  const Output out = edgenpu(kAsic + "--set memory.ranks=2");
  EXPECT_THAT(out.errors, HasSubstr("'rank,row,bank,col,bg,col1' would do"));
  EXPECT_EQ(edgenpu(kAsic + "--set memory.ranks=2 --set memory.mapping='rank,row,bank,col,bg,col1' --json -")
                .exit_code,
            0);
}

TEST(KeysCommand, GivesEqualBytesForEqualRunsOnRequest) {
  const std::string run = kAsic + "--json - --reproducible";
  const std::string once = edgenpu(run).text;
  EXPECT_THAT(once, HasSubstr("\"cpu_s\": null"));
  EXPECT_EQ(edgenpu(run).text, once);
  expect_refused(kAsic + "--reproducible", "--reproducible: goes with --json");
}

TEST(KeysCommand, RunsADescriptionFromAnyFolderAndTheOneThatAResultNames) {
  const auto folder = std::filesystem::temp_directory_path() / ("edgenpu_keys_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.yaml") << "extends: npu-raiderchip-asic.yaml\n";
  const std::string mine =
      "run --hardware " + (folder / "mine.yaml").string() + kStep + "--json - --reproducible";
  const Output first = edgenpu(mine);
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  // The tree of the result, as a file: from its opening brace to the brace that closes it.
  const std::string key = "\"resolved_hardware\": ";
  const std::size_t begin = first.text.find(key) + key.size(), end = first.text.find("\n    },", begin);
  std::ofstream(folder / "again.yaml") << first.text.substr(begin, end - begin) << "\n}\n";
  const Output again =
      edgenpu("run --hardware " + (folder / "again.yaml").string() + kStep + "--json - --reproducible");
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  const auto metrics = [](const std::string& json) { return json.substr(json.find("\"metrics\"")); };
  EXPECT_EQ(metrics(again.text), metrics(first.text));
  std::filesystem::remove_all(folder);
}

}  // namespace
