// Power over time of whole steps: the windows are the run.
#include "simulate/power.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "base/rates.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

constexpr Femtoseconds kMicrosecond(1'000'000'000);

StepRequest request(const std::string& hardware, workload::Phase phase = workload::Phase::decode) {
  StepRequest r;
  r.hardware = test::hardware_file(hardware);
  r.model = "smollm2-135m";
  r.phase = phase;
  r.context = phase == workload::Phase::decode ? 256 : 0;
  r.prompt = 32;
  r.data_dir = EDGENPU_SOURCE_DIR;
  return r;
}

struct Case {
  const char* hardware;
  workload::Phase phase;
};

class PowerOf : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Platforms, PowerOf,
                         ::testing::Values(Case{"npu-raiderchip-asic", workload::Phase::decode},
                                           Case{"npu-raiderchip-asic", workload::Phase::prefill},
                                           Case{"npu-raiderchip-asic-cpu", workload::Phase::decode},
                                           Case{"gpu-orin-nano", workload::Phase::decode},
                                           Case{"cpu-raspberry-pi-5", workload::Phase::decode}),
                         [](const auto& info) {
                           std::string name = info.param.hardware;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name +
                                  (info.param.phase == workload::Phase::decode ? "_decode" : "_prefill");
                         });

TEST_P(PowerOf, WindowsSumToTheEnergyOfTheRunComponentByComponent) {
  const StepPower p = simulate_power(request(GetParam().hardware, GetParam().phase), {kMicrosecond, true});
  ASSERT_EQ(p.components.names.size(), p.energy.components.size());
  for (std::size_t i = 0; i < p.components.names.size(); ++i) {
    EXPECT_EQ(p.components.names[i], p.energy.components[i].component);
    const double run = p.energy.components[i].total().count();
    EXPECT_NEAR(p.components.total(i).count(), run, 1e-12 * run + 1e-25) << p.components.names[i];
  }
  EXPECT_NEAR(p.by_block.total().count(), p.energy.total().count(), 1e-12 * p.energy.total().count());
}

TEST_P(PowerOf, WindowsCountWhatTheRunCounted) {
  const StepPower p = simulate_power(request(GetParam().hardware, GetParam().phase), {kMicrosecond, true});
  for (const activity::CounterInfo& c : p.run.counters) {
    if (!c.billable) continue;
    const auto* windows = p.run.windows.find(c.name);
    ASSERT_NE(windows, nullptr) << c.name;
    EXPECT_EQ(std::accumulate(windows->begin(), windows->end(), std::int64_t{0}), p.run.total(c.name))
        << c.name;
  }
}

TEST_P(PowerOf, RecordingDoesNotChangeTheRun) {
  StepRequest r = request(GetParam().hardware, GetParam().phase);
  const StepPower recorded = simulate_power(r, {kMicrosecond, true});
  r.memo = false;
  const result::StepResult plain = simulate(r);
  EXPECT_EQ(plain.total_s, recorded.result.total_s);
  EXPECT_EQ(plain.simulation.events, recorded.result.simulation.events);
  ASSERT_EQ(plain.counts.size(), recorded.result.counts.size());
  for (std::size_t i = 0; i < plain.counts.size(); ++i)
    EXPECT_EQ(plain.counts[i].value, recorded.result.counts[i].value) << plain.counts[i].name;
}

// The memory's power is its traffic: no window may show more bits than the channels carry in it.
TEST_P(PowerOf, WindowsNeverMoveMoreThanTheChannelsCarry) {
  const StepPower p =
      simulate_power(request(GetParam().hardware, GetParam().phase), {kMicrosecond * 10, true});
  const auto* read = p.run.windows.find("dram_read_bits");
  ASSERT_NE(read, nullptr);
  const StepFacts facts = simulate_all({request(GetParam().hardware)}).front().facts;
  const double most = facts.peak_B_per_s * 10e-6 * 8;
  for (const std::int64_t bits : *read) EXPECT_LE(static_cast<double>(bits), most * 1.001);
}

TEST(Power, OfBucketsFillsEachWindowOfEachEngine) {
  const StepPower p = simulate_power(request("npu-raiderchip-asic"), {kMicrosecond, true});
  for (const activity::EngineTimes& e : p.run.engines)
    for (std::size_t w = 0; w < p.components.size(); ++w) {
      std::int64_t sum = 0;
      for (const char* bucket : activity::kBucketNames)
        sum += (*p.run.windows.find(e.name + "." + bucket))[w];
      ASSERT_EQ(sum, p.components.length(w).count()) << e.name << " in window " << w;
    }
}

TEST(Power, OfRunsEndToEndKeepsTheirEnergyForAnyWindow) {
  const StepPower p = simulate_power(request("npu-raiderchip-asic"), {kMicrosecond, true});
  const double joules = p.components.total().count();
  for (const std::int64_t us : {1, 3, 100, 7919, 1'000'000}) {
    const energy::PowerTrace t = energy::repeat(p.components, 3, kMicrosecond * us);
    EXPECT_NEAR(t.total().count(), 3 * joules, 1e-9 * joules) << us << " us";
    EXPECT_EQ(t.time, p.components.time * 3);
  }
}

TEST(Power, PeaksFallAsWindowsGrow) {
  const StepPower p = simulate_power(request("npu-raiderchip-asic"), {kMicrosecond, true});
  const auto peaks = energy::peaks(p.components);
  ASSERT_EQ(peaks.size(), 7u);  // 1 us to 1 s
  // Windows longer than the run see it repeated, at other offsets than the ones before.
  for (std::size_t i = 1; i < peaks.size(); ++i) {
    const energy::Peak& finer = peaks[peaks[i].repeated ? 0 : i - 1];
    EXPECT_LE(peaks[i].peak.count(), finer.peak.count() * (1 + 1e-9));
  }
  EXPECT_NEAR(peaks.back().peak.count(), peaks.back().mean.count(), 0.01 * peaks.back().mean.count());
}

}  // namespace
}  // namespace edgenpu
