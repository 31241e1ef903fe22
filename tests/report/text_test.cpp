#include "report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample.h"

namespace edgenpu::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RunText, IsTheReviewedPage) {
  const std::string actual = text(test::sample());
  EXPECT_EQ(actual, test::golden("step.txt", actual));
}

TEST(RunText, SaysSoWhenEnergyIsNotModelled) {
  result::StepResult result = test::sample();
  result.energy_J.clear();
  result.metrics.energy_J_per_token.reset();
  EXPECT_THAT(text(result), HasSubstr("not modelled"));
  EXPECT_THAT(text(result), Not(HasSubstr("regulator_loss")));
}

TEST(RunText, WarnsAtTheTopWhenACheckFailed) {
  result::StepResult result = test::sample();
  EXPECT_THAT(text(result), HasSubstr("1 OF 2 CHECKS FAILED"));
  for (result::Check& c : result.checks) c.ok = true;
  EXPECT_THAT(text(result), Not(HasSubstr("FAILED")));
}

TEST(RunText, ShowsTimeToFirstTokenInPrefill) {
  result::StepResult result = test::sample();
  result.inputs.phase = "prefill";
  result.inputs.prompt = 512;
  result.inputs.context = 0;
  result.metrics.ttft_ms = 1830;
  EXPECT_THAT(text(result), HasSubstr("prefill of 512 tokens, batch 1"));
  EXPECT_THAT(text(result), HasSubstr("first token after 1.83 s"));
}

TEST(RunText, CutsTheListOfOperatorsAndSumsTheRest) {
  result::StepResult result = test::sample();
  while (result.operators.size() < 20) result.operators.push_back(result.operators[2]);
  EXPECT_THAT(text(result), HasSubstr("8 more"));
}

TEST(RunText, SurvivesAnEmptyResult) {
  EXPECT_NO_THROW(text(result::StepResult()));
}

TEST(RunText, HasNoTrailingBlanksAndOnlyAscii) {
  const std::string page = text(test::sample());
  EXPECT_THAT(page, Not(HasSubstr(" \n")));
  for (const char c : page) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
}

}  // namespace
}  // namespace edgenpu::report
