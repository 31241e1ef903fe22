#include "report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "config/value.h"
#include "report/sample.h"

namespace edgenpu::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const Tool kTool{"0.1.0", "abc1234"};

json parsed(const result::StepResult& result) {
  return json::parse(report::json(result, kTool));
}

TEST(RunJson, IsTheReviewedDocument) {
  const std::string actual = report::json(test::sample(), kTool);
  EXPECT_EQ(actual, test::golden("step.json", actual));
}

TEST(RunJson, HasNullForWhatIsNotModelled) {
  result::StepResult result = test::sample();
  result.metrics.energy_J_per_token.reset();
  result.energy_J.clear();
  result.roofline.memory_tokens_per_s.reset();
  const json j = parsed(result);
  EXPECT_TRUE(j["metrics"]["area_mm2"].is_null());
  EXPECT_TRUE(j["metrics"]["ttft_ms"].is_null());
  EXPECT_TRUE(j["metrics"]["energy_J_per_token"].is_null());
  EXPECT_TRUE(j["energy_J"].is_null());
  EXPECT_TRUE(j["roofline"]["memory_tokens_per_s"].is_null());
  EXPECT_TRUE(j["operators"][2]["energy_J"].is_null());
  EXPECT_EQ(j["operators"][0]["energy_J"], 0.1198);
}

TEST(RunJson, ReadsBackEveryDoubleExactly) {
  result::StepResult result = test::sample();
  for (const double v : {1.0 / 3, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 123456789.123456789}) {
    result.total_s = v;
    EXPECT_EQ(parsed(result)["time_s"]["total"].get<double>(), v);
  }
}

TEST(RunJson, EchoesQuantitiesAsTextAndPlainNumbersAsNumbers) {
  const json hardware = parsed(test::sample())["inputs"]["resolved_hardware"];
  EXPECT_EQ(hardware["clock"], "1 GHz");
  EXPECT_EQ(hardware["memory"]["channels"], 8);
  EXPECT_EQ(hardware["memory"]["ideal"], false);
  EXPECT_EQ(hardware["memory"]["name"], "8");
  EXPECT_EQ(hardware["regulator"], 0.85);
  EXPECT_EQ(hardware["list"], json({1, "a"}));
}

TEST(RunJson, KeepsWordsThatOnlyLookLikeNumbersAsText) {
  result::StepResult result = test::sample();
  result.inputs.resolved_hardware = std::make_shared<const config::Value>(
      config::parse_text("{a: nan, b: inf, c: 1e999, d: 0x10, e: 1 KiB}", "t"));
  const json hardware = parsed(result)["inputs"]["resolved_hardware"];
  for (const char* key : {"a", "b", "c", "d", "e"}) EXPECT_TRUE(hardware[key].is_string()) << key;
}

TEST(RunJson, RefusesANumberThatIsNotFinite) {
  result::StepResult result = test::sample();
  result.metrics.edp_J_s = std::numeric_limits<double>::quiet_NaN();
  try {
    report::json(result, kTool);
    FAIL() << "NaN was written";
  } catch (const InternalError& e) {
    EXPECT_THAT(e.what(), HasSubstr("'edp_J_s'"));
  }
}

TEST(RunJson, IsTheSameForTheSameResult) {
  EXPECT_EQ(report::json(test::sample(), kTool), report::json(test::sample(), kTool));
}

}  // namespace
}  // namespace edgenpu::report
