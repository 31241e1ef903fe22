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
                                        "/hw_configs/cpu-rk3588.yaml");
  EXPECT_EQ(r.exit_code, 0) << r.errors;
  EXPECT_THAT(r.text, HasSubstr("SmolLM2-135M-Instruct-Q8_0 tg64"));
  EXPECT_THAT(r.text, HasSubstr("SmolLM2-135M-Instruct-Q8_0 pp64"));
  EXPECT_THAT(r.text, HasSubstr("2 of 2 rows mapped"));
}

TEST(ValidateCommand, NeedsTheBoardForLlamaBench) {
  const auto r = edgenpu::test::edgenpu("validate --llama-bench " + kSource + "/tests/data/llama-bench.json");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.errors, HasSubstr("--hardware"));
}

TEST(ValidateCommand, RefusesAFileThatIsNoListOfMeasurements) {
  const auto r = edgenpu::test::edgenpu("validate " + kSource + "/hw_configs/cpu-rk3588.yaml");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.errors, HasSubstr("cpu-rk3588.yaml:1:1: a measurements file is a list of rows"));
}

}  // namespace
