// Validation as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace {

using ::testing::HasSubstr;

const std::string kSource = EDGENPU_SOURCE_DIR;

// The numbers in the file are made up; only the way through the tool is tested.
TEST(ValidateCommand, ReadsLlamaBenchForTheUsersBoard) {
  const auto r = edgenpu::test::edgenpu("validate --llama-bench " + kSource +
                                        "/tests/data/llama-bench.json --hardware " + kSource +
                                        "/hw_configs/cpu/cpu-rk3588.yaml");
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_THAT(r.text, HasSubstr("SmolLM2-135M-Instruct-Q8_0 tg64"));
  EXPECT_THAT(r.text, HasSubstr("SmolLM2-135M-Instruct-Q8_0 pp64"));
  EXPECT_THAT(r.text, HasSubstr("2 of 2 rows mapped"));
}

// What a prompt test means at a depth is what `run` means by a prefill behind a cache.
TEST(ValidateCommand, SimulatesAPromptAtADepthAsRunDoes) {
  const std::string hardware = kSource + "/hw_configs/cpu/cpu-rk3588.yaml";
  const auto rate = [](const std::string& json, const std::string& key) {
    const auto at = json.find("\"" + key + "\": ");
    return at == std::string::npos ? -1 : std::stod(json.substr(at + key.size() + 4));
  };
  const auto validated = edgenpu::test::edgenpu(
      "validate --llama-bench " + kSource +
      "/tests/data/llama-bench/bench.csv --metric prefill --json - --hardware " + hardware);
  const std::string deep = validated.text.substr(validated.text.find("pp64 @ d256"));
  const auto run = edgenpu::test::edgenpu(
      "run --model smollm2-135m --quant Q8_0 --phase prefill --prompt 64 --context 256 --json - --hardware " +
      hardware);
  ASSERT_GT(rate(deep, "simulated"), 0) << validated.errors;
  EXPECT_DOUBLE_EQ(rate(deep, "simulated"), rate(run.text, "tokens_per_s"));
  EXPECT_LT(rate(deep, "simulated"), rate(validated.text, "simulated"));
}

TEST(ValidateCommand, EndsWithTheReasonsWhereNoRowCouldBeCompared) {
  const auto r = edgenpu::test::edgenpu("validate --llama-bench " + kSource +
                                        "/tests/data/llama-bench/bench.md --hardware " + kSource +
                                        "/hw_configs/gpu/gpu-orin-nano.yaml");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.text, "");
  EXPECT_THAT(
      r.errors,
      HasSubstr(
          "bench.md:3:1: llama 134M pp64 (prefill) cannot be compared: measured with the back end CPU"));
  EXPECT_THAT(
      r.errors,
      HasSubstr(
          "bench.md:6:1: llama 134M pp16+tg16 (decode) cannot be compared: a test of prompt and generation"));
}

TEST(ValidateCommand, NeedsTheBoardForLlamaBench) {
  const auto r = edgenpu::test::edgenpu("validate --llama-bench " + kSource + "/tests/data/llama-bench.json");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.errors, HasSubstr("--hardware"));
}

TEST(ValidateCommand, RefusesAFileThatIsNoListOfMeasurements) {
  const auto r = edgenpu::test::edgenpu("validate " + kSource + "/hw_configs/cpu/cpu-rk3588.yaml");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.errors, HasSubstr("cpu-rk3588.yaml:1:1: a measurements file is a list of rows"));
}

}  // namespace
