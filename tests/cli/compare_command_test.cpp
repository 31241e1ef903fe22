// edgenpu compare as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace edgenpu::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One run for all: it simulates an 8B model on four platforms.
const Output& default_table() {
  static const Output output = edgenpu("compare --json -");
  return output;
}

TEST(CompareCommand, NamesTheImpossibleAndTheImplausiblySlowFiguresOfThePublishedTable) {
  const Output& out = default_table();
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  // 32.8 and 55.6 tokens/s against a roof of 21.55; 4.2 and 5.7 at 26 % of peak, below half of 59 %.
  EXPECT_THAT(out.text, HasSubstr("1.52 times beyond what the memory's peak bandwidth allows (21.55)"));
  EXPECT_THAT(out.text, HasSubstr("2.58 times beyond what the memory's peak bandwidth allows (21.55)"));
  EXPECT_THAT(out.text,
              HasSubstr("26 % of peak bandwidth, 0.44 of the median 59 % of published measurements"));
  EXPECT_THAT(out.text,
              HasSubstr("26 % of peak bandwidth, 0.45 of the median 59 % of published measurements"));
  for (const char* key : {"\"rows\"", "\"platform\"", "\"power_scope\": \"soc+dram\"", "\"at_tdp\"",
                          "\"roofline\"", "\"published\"", "\"verdict\"", "\"kind\": \"impossible\"",
                          "\"kind\": \"implausibly_slow\"", "\"npu_to_gpu\"", "\"failed_checks\": []"})
    EXPECT_THAT(out.text, HasSubstr(key));
}

TEST(CompareCommand, ShowsAnyHardwareBesideEachOther) {
  const Output out = edgenpu(
      "compare --hardware hw_configs/cpu-rk3588.yaml --hardware hw_configs/gpu-orin-nano.yaml --model "
      "smollm2-135m "
      "--context 64 --normalise bandwidth");
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("cpu-rk3588"));
  EXPECT_THAT(out.text, HasSubstr("gpu-orin-nano"));
  EXPECT_THAT(out.text, HasSubstr("tokens/s per GB/s"));
  EXPECT_THAT(out.text, Not(HasSubstr("verdict")));
}

TEST(CompareCommand, KeepsARowThatDoesNotFitAndSaysWhy) {
  const Output out = edgenpu(
      "compare --hardware hw_configs/gpu-orin-nano.yaml --hardware hw_configs/cpu-rk3588.yaml --model "
      "llama-3.1-8b "
      "--quant Q8_0 --context 64");
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("infeasible"));
  EXPECT_THAT(out.text, HasSubstr("does not fit the memory"));
}

TEST(CompareCommand, IsIndependentOfTheNumberOfJobs) {
  const std::string base =
      "compare --hardware hw_configs/cpu-rk3588.yaml --hardware hw_configs/gpu-orin-nano.yaml --model "
      "smollm2-135m "
      "--context 64 --json - --jobs ";
  const Output one = edgenpu(base + "1"), two = edgenpu(base + "2");
  ASSERT_EQ(one.exit_code, 0) << one.errors;
  EXPECT_EQ(one.text, two.text);
}

TEST(CompareCommand, RefusesAnUnknownNormalisation) {
  const Output out = edgenpu("compare --normalise bandwith");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("allowed: none, bandwidth, power; did you mean 'bandwidth'?"));
}

TEST(CompareCommand, RefusesATableWithAnUnknownKey) {
  const Output out = edgenpu("compare --published tests/data/study/published-wrong.yaml");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("published-wrong.yaml:13:5: unknown key 'tokens_per_second'"));
  EXPECT_THAT(out.errors, HasSubstr("did you mean 'tokens_per_s'?"));
  EXPECT_THAT(out.errors, HasSubstr("published-wrong.yaml:9:1: unknown key 'contxt'"));
}

TEST(RunCommand, TakesACpuAndAGpu) {
  for (const char* hardware : {"cpu-rk3588", "gpu-orin-nano"}) {
    const Output out = edgenpu(std::string("run --hardware hw_configs/") + hardware +
                               ".yaml --model smollm2-135m --context 64 --json -");
    EXPECT_EQ(out.exit_code, 0) << out.errors;
    EXPECT_THAT(out.text, HasSubstr("\"core_cycles\""));
  }
}

TEST(RunCommand, SuggestsTheKindOfDevice) {
  const Output out =
      edgenpu("run --hardware hw_configs/cpu-rk3588.yaml --set kind=gpuu --model smollm2-135m");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors,
              HasSubstr("found kind 'gpuu'; allowed: npu, cpu, gpu, accelerator; did you mean 'gpu'?"));
}

}  // namespace
TEST(CompareCommand, GivesRangesAndTheOddsOfTheSmallerEdpIfAsked) {
  const std::string two =
      "compare --hardware hw_configs/npu-raiderchip-asic.yaml --hardware hw_configs/npu-raiderchip-fpga.yaml "
      "--model smollm2-135m --context 16 ";
  const Output plain = edgenpu(two);
  EXPECT_THAT(plain.text, HasSubstr("Energy by use"));
  EXPECT_EQ(plain.text.find("Probability of the smaller EDP"), std::string::npos);
  const Output out = edgenpu(two + "--uncertainty 2");
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("Ranges, 5 to 95 %"));
  EXPECT_THAT(out.text, HasSubstr("npu-raiderchip-asic             against npu-raiderchip-fpga"));
  const Output json = edgenpu(two + "--uncertainty 2 --json -");
  EXPECT_THAT(json.text, HasSubstr("\"probability_of_smaller_edp\": "));
  EXPECT_THAT(json.text, HasSubstr("\"energy_split\": {"));
}

}  // namespace edgenpu::test
