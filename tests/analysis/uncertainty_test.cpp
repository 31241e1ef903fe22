// Ranges of results: what is sampled, and that it is sampled right.
#include "analysis/uncertainty.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace edgenpu::analysis {
namespace {

StepRequest request() {
  StepRequest r;
  r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  r.model = "smollm2-135m";
  r.context = 64;
  r.data_dir = EDGENPU_SOURCE_DIR;
  return r;
}

UncertaintyOptions options(std::int64_t hardware = 4, std::int64_t draws = 400) {
  UncertaintyOptions o;
  o.hardware_draws = hardware;
  o.draws = draws;
  return o;
}

const result::Percentiles& metric(const result::Uncertainty& u, const std::string& name) {
  for (const result::Percentiles& p : u.metrics)
    if (p.name == name) return p;
  throw std::runtime_error("no metric " + name);
}

TEST(Uncertainty, IsTheSameForTheSameSeedWhateverTheWorkers) {
  UncertaintyOptions one = options(), two = options();
  one.jobs = 1;
  two.jobs = 2;
  const result::Uncertainty a = uncertainty(request(), one), b = uncertainty(request(), two);
  EXPECT_EQ(a.edp, b.edp);
  two.seed = 2;
  EXPECT_NE(a.edp, uncertainty(request(), two).edp);
}

TEST(Uncertainty, HasTheDescribedResultInsideItsRange) {
  const result::Uncertainty u = uncertainty(request(), options());
  const result::StepResult described = simulate(request());
  EXPECT_NEAR(metric(u, "energy_J_per_token").nominal, *described.metrics.energy_J_per_token,
              1e-9 * *described.metrics.energy_J_per_token);
  EXPECT_NEAR(metric(u, "edp_J_s").nominal, *described.metrics.edp_J_s, 1e-9 * *described.metrics.edp_J_s);
  for (const result::Percentiles& p : u.metrics) {
    EXPECT_LE(p.p5, p.p50) << p.name;
    EXPECT_LE(p.p50, p.p95) << p.name;
  }
  const auto& energy = metric(u, "energy_J_per_token");
  EXPECT_LT(energy.p5, energy.nominal);
  EXPECT_GT(energy.p95, energy.nominal);
}

TEST(Uncertainty, OfThroughputIsNoneIfOnlyPricesAreDrawn) {
  const result::Uncertainty u = uncertainty(request(), options(0));
  EXPECT_EQ(metric(u, "tokens_per_s").p5, metric(u, "tokens_per_s").p95);
  EXPECT_LT(metric(u, "energy_J_per_token").p5, metric(u, "energy_J_per_token").p95);
}

// First-order shares of independent inputs cannot pass the whole, and here almost reach it: prices add up.
TEST(Uncertainty, IsTakenApartIntoItsInputs) {
  const result::Uncertainty u = uncertainty(request(), options(0, 4000));
  double sum = 0;
  for (const result::InputEffect& i : u.inputs) sum += i.energy_share;
  EXPECT_GT(sum, 0.85);
  EXPECT_LT(sum, 1.1);
  for (std::size_t i = 1; i < u.inputs.size(); ++i)
    EXPECT_LE(u.inputs[i].energy_share, u.inputs[i - 1].energy_share);
}

// One input alone, twice the other's half-width: the ranges are as wide as the input's.
// A step is priced by the platform's table; draws of the part's own prices had shares of up to 5 % by chance.
TEST(Uncertainty, HasNoPriceOfTheMemoryPartAmongItsInputs) {
  const result::Uncertainty u = uncertainty(request(), options());
  EXPECT_FALSE(u.inputs.empty());
  for (const result::InputEffect& i : u.inputs)
    EXPECT_EQ(i.path.find("memory.energy."), std::string::npos) << i.path;
}

TEST(Uncertainty, OfOneInputIsThatInputs) {
  StepRequest r = request();
  r.overrides = {
      "energy.components.uncore.static.constant={value: 100 W, low: 50 W, high: 150 W, source: \"assumed: "
      "test\"}"};
  const result::Uncertainty u = uncertainty(r, options(0, 4000));
  EXPECT_EQ(u.inputs.front().path, "energy.components.uncore.static.constant");
  EXPECT_GT(u.inputs.front().energy_share, 0.8);
  const auto& uncore = metric(u, "energy_J_per_token.uncore");
  // Half of the probability between low and value, evenly in the logarithm: 5 % is a tenth of the way.
  EXPECT_NEAR(uncore.p5 / uncore.nominal, 0.5 * std::pow(2, 0.1), 0.005);
  EXPECT_NEAR(uncore.p95 / uncore.nominal, std::pow(1.5, 0.9), 0.005);
  EXPECT_NEAR(uncore.p50 / uncore.nominal, 1, 0.005);
}

TEST(ProbabilityLess, CountsPairs) {
  EXPECT_DOUBLE_EQ(probability_less({1, 2}, {3, 4}), 1);
  EXPECT_DOUBLE_EQ(probability_less({3, 4}, {1, 2}), 0);
  EXPECT_DOUBLE_EQ(probability_less({1, 3}, {2, 4}), 0.75);
  EXPECT_DOUBLE_EQ(probability_less({1}, {1}), 0.5);
}

}  // namespace
}  // namespace edgenpu::analysis
