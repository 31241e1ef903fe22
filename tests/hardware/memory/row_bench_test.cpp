// `row` against `burst` on the reference patterns, as `edgenpu memory` runs them.
#include <gtest/gtest.h>

#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

result::MemoryResult run(const config::Memory& m, const std::string& pattern, Detail detail) {
  BenchOptions options;
  options.detail = detail;
  return run_memory_bench(
      m, [&] { return make_pattern(pattern, 200'000, m.capacity.count()); }, pattern, options);
}

TEST(RowBench, AgreesWithBurstOnEveryReferencePatternInUtilisationLatencyAndRows) {
  for (const char* refresh : {"ab", "pb", "none"})
    for (const std::string& pattern : pattern_names()) {
      const config::Memory m = load_memory("lpddr5-6400", {std::string("refresh=") + refresh});
      const auto burst = run(m, pattern, Detail::burst), row = run(m, pattern, Detail::row);
      const std::string where = pattern + " " + refresh;
      EXPECT_NEAR(100 * row.utilisation, 100 * burst.utilisation, 1) << where;
      EXPECT_EQ(row.bytes, burst.bytes) << where;
      EXPECT_NEAR(row.read_latency_ns.mean / burst.read_latency_ns.mean, 1, 0.02) << where;
      EXPECT_NEAR(row.read_latency_ns.p99 / burst.read_latency_ns.p99, 1, 0.10) << where;
      EXPECT_NEAR(row.row_hit_rate, burst.row_hit_rate, 0.01) << where;
    }
}

TEST(RowBench, DoesAStreamInFarFewerStepsThanThereAreBursts) {
  const config::Memory m = load_memory("lpddr5-6400");
  const auto burst = run(m, "seq_rd", Detail::burst), row = run(m, "seq_rd", Detail::row);
  EXPECT_LT(row.cpu_s, burst.cpu_s);
}

TEST(PowerStates, SumToTheTimeAndSleepCostsTheExit) {
  const std::string closed = "controller.page_policy=closed";
  const config::Memory awake = load_memory("lpddr5-6400", {"refresh=none", closed});
  const config::Memory sleepy =
      load_memory("lpddr5-6400", {"refresh=none", closed, "controller.power_down_after=100 CK"});
  const config::Memory deep = load_memory(
      "lpddr5-6400", {"controller.power_down_after=100 CK", "controller.self_refresh_after=10000 CK"});
  struct Sparse : TrafficSource {
    std::int64_t i = 0;
    bool next(TrafficRequest& r) override {
      r = {64 * i, false, 50'000 * i, 0};
      return i++ < 20;
    }
  };
  const auto bench = [](const config::Memory& m) {
    return run_memory_bench(m, [] { return std::make_unique<Sparse>(); }, "sparse", {});
  };
  for (const config::Memory* m : {&awake, &sleepy, &deep}) {
    const auto r = bench(*m);
    double sum = 0;
    for (const auto& s : r.power_states_s) sum += s.second;
    EXPECT_NEAR(sum * 1e9, r.time_ns, 1e-3 * r.time_ns);
  }
  const auto a = bench(awake), s = bench(sleepy), d = bench(deep);
  EXPECT_EQ(a.power_states_s[2].second, 0);
  EXPECT_GT(s.power_states_s[2].second, 0.9 * s.time_ns * 1e-9);
  EXPECT_NEAR(s.read_latency_ns.mean - a.read_latency_ns.mean, 7.5 * 19 / 20, 0.1);  // tXP 6 CK, but at first
  EXPECT_GT(d.power_states_s[3].second, 0.7 * d.time_ns * 1e-9);
  EXPECT_GT(d.read_latency_ns.mean,
            a.read_latency_ns.mean + 250);  // tXSR 287.5 ns, all but the first request
}

}  // namespace
}  // namespace edgenpu::hardware
