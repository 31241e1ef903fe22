// Responses and fits: by hand.
#include "evidence/fit.h"

#include <cmath>
#include <gtest/gtest.h>

namespace edgenpu::evidence {
namespace {

// Time proportional to factor^slope.
Response power_law(double slope) {
  Response r;
  for (const double f : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    r.log_factor.push_back(std::log(f));
    r.log_time.push_back(slope * std::log(f));
  }
  return r;
}

TEST(Response, IsLinearBetweenItsPointsAndFlatBeyond) {
  const Response r = power_law(1);
  EXPECT_NEAR(r.at(std::log(1.5)), std::log(1.5), 1e-12);
  EXPECT_NEAR(r.at(std::log(100)), std::log(4), 1e-12);
}

TEST(Fit, FindsTheFactorsBehindSyntheticRows) {
  const double truth[] = {std::log(2), std::log(0.5)};
  std::vector<FitRow> rows;
  for (int i = 0; i < 10; ++i) {
    FitRow row;
    row.responses = {power_law(0.1 * i), power_law(1 - 0.1 * i)};
    row.log_error = row.responses[0].at(truth[0]) + row.responses[1].at(truth[1]);
    rows.push_back(row);
  }
  std::vector<const FitRow*> all;
  for (const FitRow& r : rows) all.push_back(&r);
  const std::vector<double> x = fit(all, 2);
  ASSERT_EQ(x.size(), 2u);
  EXPECT_NEAR(x[0], truth[0], 0.02);
  EXPECT_NEAR(x[1], truth[1], 0.02);
  EXPECT_EQ(fit(all, 2), x) << "the same rows give the same factors";
}

TEST(FitRow, AddsWhatFactorsDoTogetherOnlyWhereThereAreAny) {
  FitRow row;
  row.responses = {power_law(1), power_law(0.5)};
  row.log_error = 0.3;
  row.together = 0.1;
  EXPECT_NEAR(row.error_at({}), 0.3, 1e-12) << "as described";
  EXPECT_NEAR(row.error_at({std::log(2), 0}), 0.3 + 0.1 - std::log(2), 1e-12);
}

TEST(Fit, StaysWithinItsBounds) {
  FitRow row;
  row.responses = {power_law(1)};
  row.log_error = 10;
  const std::vector<const FitRow*> rows(5, &row);
  EXPECT_NEAR(fit(rows, 1)[0], std::log(4), 1e-3);
}

TEST(Fit, TakesAtMostOneParameterPerFiveRowsAndNoneForFewer) {
  EXPECT_EQ(allowed_parameters(4, 3), 0u);
  EXPECT_EQ(allowed_parameters(5, 3), 1u);
  EXPECT_EQ(allowed_parameters(14, 3), 2u);
  EXPECT_EQ(allowed_parameters(40, 3), 3u);
  FitRow row;
  row.responses = {power_law(1)};
  row.log_error = 1;
  EXPECT_TRUE(fit({&row, &row, &row, &row}, 1).empty());
}

}  // namespace
}  // namespace edgenpu::evidence
