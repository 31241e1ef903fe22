// Every channel and rank is refreshed for the whole of a step, whether the step uses it or not.
#include <random>

#include "simulate/one_product.h"
#include "simulate/power.h"

namespace edgenpu {
namespace {

using test::count;

struct Interval {
  const char *mode, *counter;
  double seconds;  // of the shipped LPDDR5-6400
};
const Interval kAllBank = {"memory.refresh=ab", "dram_refresh_ab", 3.90625e-6},
               kPerBank = {"memory.refresh=pb", "dram_refresh_pb", 488.28125e-9};

// Some are still owed at the end: of each channel one that has just fallen due, and those put off.
void expect_refreshes(const result::StepResult& r, const Interval& interval, int channels, const char* what) {
  const double due = r.total_s / interval.seconds * channels;
  const auto found = static_cast<double>(count(r, interval.counter));
  EXPECT_LE(found, due + channels) << what;
  EXPECT_GE(found, due - 9.0 * channels) << what;
  EXPECT_GT(due, 100 * channels) << what << ": too short to tell";
}

TEST(RefreshCounts, GoOnInChannelsWithoutTrafficOnEveryKindOfDevice) {
  const test::OneProduct tiny{1, 1, 32};  // one request: one channel of all
  for (const Interval& interval : {kAllBank, kPerBank}) {
    const auto npu = test::run_product(tiny, "npu-raiderchip-asic", {interval.mode, "host.overhead=2 ms"});
    expect_refreshes(npu, interval, 8, "NPU");
  }
}

// tREFIpb is 390.625 clocks: rounded to whole ones, one refresh in a thousand would be missing or too many.
TEST(RefreshCounts, AreThoseOfTheMeanIntervalOverALongTime) {
  const auto r =
      test::run_product({1, 1, 32}, "npu-raiderchip-asic", {kPerBank.mode, "host.overhead=400 ms"});
  const double due = r.total_s / kPerBank.seconds * 8;
  EXPECT_GT(due, 6'000'000);
  EXPECT_NEAR(static_cast<double>(count(r, kPerBank.counter)), due, 3.0 * 8);
}

TEST(RefreshCounts, AreZeroWithoutRefresh) {
  const auto r =
      test::run_product({1, 1, 32}, "npu-raiderchip-asic", {"memory.refresh=none", "host.overhead=2 ms"});
  EXPECT_EQ(count(r, "dram_refresh_ab"), 0);
  EXPECT_EQ(count(r, "dram_refresh_pb"), 0);
}

TEST(RefreshCounts, GoOnAfterTheLastTrafficOfAProcessorAndWhileItsHostWaits) {
  const auto cpu = test::run_product({1, 64, 512, vocabulary::Format::F16}, "cpu-rk3588",
                                     {"runtime.launch.per_token=4 ms", "memory.refresh=pb"});
  const double intervals = static_cast<double>(count(cpu, "dram_refresh_pb"));
  const auto longer = test::run_product({1, 64, 512, vocabulary::Format::F16}, "cpu-rk3588",
                                        {"runtime.launch.per_token=8 ms", "memory.refresh=pb"});
  EXPECT_NEAR(static_cast<double>(count(longer, "dram_refresh_pb")) / intervals, longer.total_s / cpu.total_s,
              0.01);
}

// What is extrapolated has the refreshes of the time that it stands for.
TEST(RefreshCounts, FollowTheTimeOfAStepOfWhichAPartWasSimulated) {
  std::mt19937 random(7);
  for (const Interval& interval : {kAllBank, kPerBank}) {
    const test::OneProduct p{1, 8192 + static_cast<std::int64_t>(random() % 4096), 4097};
    const auto memo =
        test::run_product(p, "npu-raiderchip-asic", {interval.mode, "host.overhead=1 ms"}, true);
    ASSERT_LT(memo.simulation.simulated_fraction, 0.9);
    expect_refreshes(memo, interval, 8, interval.mode);
    EXPECT_EQ(test::failed_checks(memo), "");
  }
}

// Rounds of refreshes are counted at once where nobody asks when each was; with windows of time they are done one by one.
TEST(RefreshCounts, AreTheSameCountedAtOnceAndOneByOne) {
  for (const Interval& interval : {kAllBank, kPerBank})
    for (const char* overhead : {"host.overhead=37 us", "host.overhead=1234 us"}) {
      StepRequest r;
      r.data_dir = EDGENPU_SOURCE_DIR;
      r.hardware = r.data_dir + "/hw_configs/npu/npu-raiderchip-asic.yaml";
      r.trace_file = r.data_dir + "/traces/tiny.yaml";
      r.memo = false;
      r.overrides = {interval.mode, overhead, "clock=10 MHz"};
      const result::StepResult at_once = simulate(r);
      const result::StepResult one_by_one = simulate_power(r, {Femtoseconds(10'000'000'000)}).result;
      EXPECT_GT(count(at_once, interval.counter), 60) << interval.mode << " " << overhead;
      EXPECT_EQ(at_once.total_s, one_by_one.total_s) << interval.mode << " " << overhead;
      for (const result::NamedCount& c : at_once.counts)
        EXPECT_EQ(c.value, count(one_by_one, c.name)) << c.name << " " << interval.mode << " " << overhead;
    }
}

}  // namespace
}  // namespace edgenpu
