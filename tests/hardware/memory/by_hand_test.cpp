// Results that can be worked out with a pencil.
#include <gtest/gtest.h>

#include "hardware/memory/dram_checker.h"
#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

class ListSource : public TrafficSource {
 public:
  explicit ListSource(std::function<std::int64_t(std::int64_t)> address, std::int64_t requests)
      : address_(std::move(address)), left_(requests) {}
  bool next(TrafficRequest& r) override {
    if (i_ == left_) return false;
    r = {address_(i_++), false, 0};
    return true;
  }

 private:
  std::function<std::int64_t(std::int64_t)> address_;
  std::int64_t left_, i_ = 0;
};

result::MemoryResult run(const config::Memory& m, std::int64_t requests, std::int64_t bytes,
                         std::function<std::int64_t(std::int64_t)> address, int window = 32) {
  BenchOptions options;
  options.request_bytes = bytes;
  options.window = window;
  return run_memory_bench(
      m, [&] { return std::make_unique<ListSource>(address, requests); }, "list", options);
}

TEST(ByHand, OneMebibyteOnOneX16ChannelIs32768BurstsAndAtLeast81Point92Microseconds) {
  const config::Memory m = load_memory("lpddr5-6400");
  const auto r = run(m, 1 << 14, 64, [](std::int64_t i) { return 64 * i; });
  EXPECT_EQ(r.bytes, 1 << 20);
  EXPECT_EQ(r.commands.rd, 32768);
  EXPECT_GE(r.time_ns, 81'920);
}

TEST(ByHand, AlternatingRowsOfOneBankNeverHitAndCannotBeatTheRowCycle) {
  const config::Memory m = load_memory("lpddr5-6400", {"refresh=none"});
  const timing::AddressMap map(m);
  const auto row = [&](std::int64_t r) {
    timing::DramAddress a;
    a.row = r;
    return map.encode(a) * 32;
  };
  // One in flight: nothing to reorder.
  const auto r = run(
      m, 20'000, 32, [&](std::int64_t i) { return row(i % 2); }, 1);
  EXPECT_EQ(r.rows.hits, 0);
  EXPECT_EQ(r.commands.act, 20'000);
  EXPECT_LE(r.achieved_GBps, 32 / 60.0);
}

TEST(ByHand, APageOf2KiBHits63TimesOutOf64AtAnyRow) {
  const config::Memory m = load_memory("lpddr5-6400", {"refresh=none", "mapping=RoBaBgCo"});
  for (const std::int64_t row : {0, 1000}) {
    const auto r = run(m, 64, 32, [&](std::int64_t i) { return row * 16 * 2048 + 32 * i; });
    EXPECT_EQ(r.rows.hits, 63) << row;
    EXPECT_EQ(r.rows.misses, 1) << row;
    EXPECT_EQ(r.rows.conflicts, 0) << row;
  }
}

TEST(ByHand, AnIdleMillisecondAt3Point9MicrosecondsIs256AllBankRefreshes) {
  const config::Memory m = load_memory("lpddr5-6400");
  const timing::AddressMap map(m);
  activity::Counters counters(1);
  activity::LossLedger ledger(1, 1);
  Channel channel(m, map, 0, Detail::burst, 1, counters, ledger);
  channel.run_until(800'000);  // 1 ms at 800 MHz
  EXPECT_EQ(counters.values()[static_cast<std::size_t>(DramCounters(counters).refresh_ab)][0], 256);
}

TEST(ByHand, APostponedRefreshIsMadeUpForAndNoneIsLost) {
  for (const char* refresh : {"ab", "pb"}) {
    const config::Memory m =
        load_memory("lpddr5-6400", {std::string("refresh=") + refresh, "controller.postpone=8"});
    DramChecker checker(m);
    BenchOptions options;
    options.listener = [&](int) { return &checker; };
    const auto r = run_memory_bench(
        m, [&] { return make_pattern("seq_rd", 100'000, m.capacity.count()); }, "seq_rd", options);
    EXPECT_EQ(checker.violations(), 0);
    const MeanClocks interval = std::string(refresh) == "ab" ? m.t.tREFI : m.t.tREFIpb;
    const std::int64_t due = interval.passed(Cycles(r.cycles));
    EXPECT_GE(r.commands.ref_ab + r.commands.ref_pb, due - 8);
    EXPECT_LE(r.commands.ref_ab + r.commands.ref_pb, due);
  }
}

TEST(ByHand, AStreamWithoutRefreshTakes400035ClocksGiveOrTakeTheControllersOwnFew) {
  const config::Memory m = load_memory("lpddr5-6400", {"refresh=none"});
  const auto r =
      run_memory_bench(m, [&] { return make_pattern("seq_rd", 100'000, m.capacity.count()); }, "seq_rd", {});
  EXPECT_NEAR(static_cast<double>(r.cycles), 400'035, 5);
}

TEST(ByHand, LatencyTimesBandwidthIsTheWindow) {
  const config::Memory m = load_memory("lpddr5-6400");
  for (const char* pattern : {"seq_rd", "rand64", "gather4k"})
    for (const int window : {1, 8, 32}) {
      BenchOptions options;
      options.window = window;
      const auto r = run_memory_bench(
          m, [&] { return make_pattern(pattern, 50'000, m.capacity.count()); }, pattern, options);
      EXPECT_NEAR(r.read_latency_ns.mean, window * 64 / r.achieved_GBps, 0.02 * r.read_latency_ns.mean)
          << pattern;
      EXPECT_NEAR(r.read_latency_ns.queue_mean + r.read_latency_ns.service_mean, r.read_latency_ns.mean,
                  1e-6);
      EXPECT_LE(r.read_latency_ns.p50, r.read_latency_ns.p99);
    }
}

TEST(ByHand, RowHitRatesAndActivatesAreThoseOfTheReferences) {
  const config::Memory m = load_memory("lpddr5-6400");
  const auto hits = [&](const char* pattern) {
    return run_memory_bench(m, [&] { return make_pattern(pattern, 100'000, m.capacity.count()); }, pattern,
                            {});
  };
  // All three reference simulators agree on these within two points.
  EXPECT_NEAR(hits("seq_rd").row_hit_rate, 0.981, 0.02);
  EXPECT_NEAR(hits("rand64").row_hit_rate, 0.495, 0.02);
  EXPECT_NEAR(hits("gather4k").row_hit_rate, 0.960, 0.02);
  EXPECT_NEAR(hits("streams4_1k").row_hit_rate, 0.974, 0.02);
  EXPECT_NEAR(static_cast<double>(hits("seq_rd").commands.act), 3811, 381);
}

TEST(ByHand, FourChannelsDoWhatOneDoesFourTimes) {
  const auto one = load_memory("lpddr5-6400");
  const auto four = load_memory("lpddr5-6400", {"channels=4", "capacity=8 GiB"});
  const auto bench = [](const config::Memory& m, std::int64_t n) {
    return run_memory_bench(m, [&, n] { return make_pattern("seq_rd", n, m.capacity.count()); }, "seq_rd",
                            {});
  };
  const auto a = bench(one, 100'000), b = bench(four, 400'000);
  EXPECT_NEAR(b.achieved_GBps, 4 * a.achieved_GBps, 0.02 * b.achieved_GBps);
  ASSERT_EQ(b.channels.size(), 4u);
  double sum = 0;
  for (const auto& c : b.channels) {
    EXPECT_GT(c.utilisation_active, 0.88);
    sum += c.utilisation_run * 12.8;
  }
  EXPECT_NEAR(sum, b.achieved_GBps, 1e-6);
}

TEST(ByHand, HotMemoryRefreshesTwiceAsOften) {
  const auto cool = load_memory("lpddr5-6400", {"temperature=85 C"});
  const auto hot = load_memory("lpddr5-6400", {"temperature=95 C"});
  EXPECT_EQ(cool.t.tREFI.value(), 3125);
  EXPECT_EQ(hot.t.tREFI.value(), 1562.5);
}

TEST(ByHand, RowsThatCostNothingLeaveOnlyRefreshBetweenAStreamAndThePeak) {
  const config::Memory m = load_memory("lpddr5-6400", {"row_cost=false"});
  const auto r =
      run_memory_bench(m, [&] { return make_pattern("rand64", 100'000, m.capacity.count()); }, "rand64", {});
  EXPECT_EQ(r.commands.act, 0);
  EXPECT_NEAR(r.utilisation, 1 - 224.0 / 3125, 0.01);
}

TEST(ByHand, OneGibibyteOfRequestsNeedsNoMoreMemoryThanAMebibyte) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps freed memory";
#endif
  const config::Memory m = load_memory("lpddr5-6400");
  const auto peak = [] {
    std::FILE* f = std::fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;
    if (!f || std::fscanf(f, "%ld %ld", &total, &resident) != 2) resident = 0;
    if (f) std::fclose(f);
    return resident * 4096L;
  };
  run(m, 1 << 14, 64, [](std::int64_t i) { return 64 * i; });
  const long before = peak();
  const auto r = run(m, 1 << 24, 64, [](std::int64_t i) { return 64 * i; });
  EXPECT_EQ(r.bytes, 1LL << 30);
  EXPECT_LT(peak() - before, 1 << 20);
}

}  // namespace
}  // namespace edgenpu::hardware
