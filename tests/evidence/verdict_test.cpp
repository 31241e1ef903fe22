// Published figures beside simulated ones and bounds.
#include "evidence/verdict.h"

#include <gtest/gtest.h>

#include "evidence/published.h"

namespace edgenpu::evidence {
namespace {

using result::VerdictKind;

// A roof of 20 tokens/s, 18 simulated, 10 W, a class that reaches 60 % in the median.
Yardstick yardstick() {
  return {20, 18, 10, 0.6};
}

TEST(Verdict, IsImpossibleAboveTheRoofWithTheFactor) {
  const auto cell = judge("tokens_per_s", 30, yardstick());
  EXPECT_EQ(cell.verdict.kind, VerdictKind::impossible);
  EXPECT_DOUBLE_EQ(cell.verdict.factor, 1.5);
  EXPECT_EQ(judge("ms_per_token", 1000.0 / 30, yardstick()).verdict.kind, VerdictKind::impossible);
}

TEST(Verdict, AllowsForRoundingAtTheRoof) {
  EXPECT_NE(judge("tokens_per_s", 20.09, yardstick()).verdict.kind, VerdictKind::impossible);
  EXPECT_EQ(judge("tokens_per_s", 20.11, yardstick()).verdict.kind, VerdictKind::impossible);
}

TEST(Verdict, AgreesWithinFifteenPercent) {
  EXPECT_EQ(judge("tokens_per_s", 18 * 0.851, yardstick()).verdict.kind, VerdictKind::agrees);
  EXPECT_EQ(judge("tokens_per_s", 18 * 0.849, yardstick()).verdict.kind, VerdictKind::differs);
  Yardstick y = yardstick();
  y.tokens_per_s = 12;
  EXPECT_EQ(judge("tokens_per_s", 12 * 1.149, y).verdict.kind, VerdictKind::agrees);
  EXPECT_EQ(judge("tokens_per_s", 12 * 1.151, y).verdict.kind, VerdictKind::differs);
}

TEST(Verdict, IsImplausiblySlowBelowHalfOfTheMedianShare) {
  EXPECT_EQ(judge("tokens_per_s", 6.01, yardstick()).verdict.kind, VerdictKind::differs);  // 30.05 % of peak
  const auto cell = judge("tokens_per_s", 5.9, yardstick());
  EXPECT_EQ(cell.verdict.kind, VerdictKind::implausibly_slow);
  EXPECT_NEAR(cell.verdict.factor, 5.9 / 20 / 0.6, 1e-12);
  EXPECT_EQ(judge("ms_per_token", 1e3 / 5.9, yardstick()).verdict.kind, VerdictKind::implausibly_slow);
}

TEST(Verdict, HoldsEnergiesAgainstTdpOverThroughput) {
  const auto cell = judge("J_per_token", 0.4, yardstick());
  EXPECT_EQ(cell.verdict.kind, VerdictKind::impossible);  // 10 W / 20 tokens/s = 0.5 J
  EXPECT_DOUBLE_EQ(cell.verdict.factor, 1.25);
  EXPECT_EQ(judge("tokens_per_J", 1.8, yardstick()).verdict.kind, VerdictKind::agrees);
  EXPECT_NEAR(*judge("edp_J_s", 0.03, yardstick()).simulated, 10.0 / (18 * 18), 1e-12);
  EXPECT_NEAR(*judge("edp_J_s", 0.03, yardstick()).bound, 10.0 / (20 * 20), 1e-12);
}

const std::string kFolder = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/published/";

TEST(PublishedTable, HasTheFourRowsOfTheArticle) {
  const PublishedTable table = read_published(kFolder + "platform-table.yaml", EDGENPU_SOURCE_DIR);
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.model, "llama-3.1-8b");
  EXPECT_DOUBLE_EQ(table.rows[2].metrics.at("tokens_per_s"), 32.8);
  EXPECT_DOUBLE_EQ(table.rows[3].metrics.at("tokens_per_s"), 55.6);
  // Its energy columns are TDP over throughput.
  for (const PublishedRow& row : table.rows) {
    EXPECT_NEAR(row.metrics.at("J_per_token") * row.metrics.at("tokens_per_s") / row.tdp->count(), 1, 0.01)
        << row.platform;
    EXPECT_NEAR(row.metrics.at("ms_per_token") * row.metrics.at("tokens_per_s") / 1000, 1, 0.01)
        << row.platform;
  }
}

// Medians of the measurements as collected: 31 rows of CPUs, 70 of GPUs, 43 of NPUs.
TEST(BandwidthShares, HaveTheMediansOfTheirClasses) {
  const auto medians = read_median_shares(kFolder + "bandwidth-shares.yaml");
  EXPECT_NEAR(medians.at("cpu"), 0.587, 1e-9);
  EXPECT_NEAR(medians.at("gpu"), 0.4805, 1e-9);
  EXPECT_NEAR(medians.at("npu"), 0.566, 1e-9);
}

}  // namespace
}  // namespace edgenpu::evidence
