// The printers of a comparison, on a made-up one.
#include "report/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/sample.h"

namespace edgenpu::report {
namespace {

using ::testing::HasSubstr;

result::Comparison sample_comparison() {
  result::Comparison c;
  c.source = "a table";
  c.normalise = "bandwidth";
  c.power_scope = "soc+dram";
  result::ComparisonRow row;
  row.platform = "NPU: some";
  row.hardware = "npu.yaml";
  row.device_class = "npu";
  row.model = "llama-3.1-8b";
  row.quant = "Q4_K_M";
  row.context = 1024;
  row.step = test::sample();
  row.peak_B_per_s = 102.4e9;
  row.used_B_per_s = 96e9;
  row.at_tdp = result::AtTdp{24, 1.2, 0.83, 0.06};
  result::PublishedCell cell;
  cell.value = 55.6;
  cell.simulated = 20;
  cell.bound = 21.6;
  cell.verdict = {result::VerdictKind::impossible, 2.57, "2.57 times beyond"};
  row.published["tokens_per_s"] = cell;
  row.normalised = 0.2;
  c.rows.push_back(row);
  result::ComparisonRow none;
  none.platform = "GPU: small";
  none.infeasible = "it does not fit";
  c.rows.push_back(none);
  c.npu_to_gpu = {{"tokens_per_s", 1.1, 1.7}};
  c.median_share = {{"npu", 0.57}};
  return c;
}

TEST(CompareText, ShowsSimulatedPublishedBoundAndVerdict) {
  const std::string out = text(sample_comparison());
  for (const char* part : {"NPU: some", "impossible", "2.57 times beyond", "55.6", "21.6",
                           "tokens/s per GB/s", "it does not fit", "NPU : GPU", "1.70", "published: a table"})
    EXPECT_THAT(out, HasSubstr(part));
}

TEST(CompareJson, HasTheKeysOfTheContract) {
  const auto j = nlohmann::json::parse(json(sample_comparison(), {"1", "abc"}));
  const auto& row = j.at("rows").at(0);
  for (const char* key : {"platform", "model", "quant", "context", "power_scope", "metrics", "roofline",
                          "published", "verdict"})
    EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_DOUBLE_EQ(row["metrics"]["at_tdp"]["J_per_token"], 1.2);
  EXPECT_DOUBLE_EQ(row["metrics"]["at_tdp"]["edp_J_s"], 0.06);
  EXPECT_EQ(row["verdict"]["tokens_per_s"]["kind"], "impossible");
  EXPECT_DOUBLE_EQ(row["verdict"]["tokens_per_s"]["factor"], 2.57);
  EXPECT_DOUBLE_EQ(row["published"]["tokens_per_s"], 55.6);
  EXPECT_EQ(j["rows"][1]["infeasible"], "it does not fit");
  EXPECT_TRUE(j["rows"][1]["roofline"].is_null());
}

}  // namespace
}  // namespace edgenpu::report
