// Refresh at its shortest: what is accepted is served, what is not is refused when it is read.
#include <gtest/gtest.h>

#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

// False: refused.
bool serves(const std::string& part, const std::vector<std::string>& set, const std::string& pattern,
            Detail detail) {
  config::Memory m;
  try {
    m = load_memory(part, set);
  } catch (const InputError&) {
    return false;
  }
  BenchOptions options;
  options.detail = detail;
  const auto r = run_memory_bench(
      m, [&] { return make_pattern(pattern, 300, m.capacity.count()); }, pattern, options);
  EXPECT_EQ(r.requests, 300);
  EXPECT_GE(r.row_hit_rate, 0);
  EXPECT_LE(r.row_hit_rate, 1);
  return true;
}

class Refresh : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(OfAllStandards, Refresh,
                         ::testing::Values("lpddr4x-4266", "lpddr5-6400", "lpddr5x-8533", "ddr4-3200",
                                           "ddr5-4800"));

TEST_P(Refresh, OfAnyIntervalIsRefusedOrLeavesTimeForEveryPattern) {
  for (const std::string mode : {"ab", "pb"})
    for (int clocks = 20; clocks <= 1500; clocks += clocks / 7 + 3) {
      const std::string key = mode == "ab" ? "timing.tREFI=" : "timing.tREFIpb=";
      for (const char* pattern : {"seq_rd", "sep_w10", "rand64"})
        for (const Detail detail : {Detail::row, Detail::burst})
          serves(GetParam(), {"refresh=" + mode, key + std::to_string(clocks) + " CK"}, pattern, detail);
    }
}

// Some requests, a pause, and some more.
class Paused : public TrafficSource {
 public:
  explicit Paused(std::int64_t pause) : pause_(pause) {}
  bool next(TrafficRequest& r) override {
    r = {};
    r.address = n_ * 4160;
    r.not_before = n_ < 10 ? 0 : pause_;
    return n_++ < 20;
  }

 private:
  std::int64_t pause_, n_ = 0;
};

struct Nobody : CommandListener {
  void command(std::int64_t, timing::Command, int, std::int64_t, std::int64_t) override {}
};

// A listener sees every command, so with one none is counted without being done.
TEST(LongPauses, CountTheirRefreshesAsIfEachWereDone) {
  for (const std::string mode : {"ab", "pb"})
    for (const char* ranks : {"ranks=1", "ranks=2"})
      for (const std::int64_t pause : {50'000'001, 123'456'789}) {
        const config::Memory m =
            load_memory("lpddr5-6400", {"refresh=" + mode, ranks, "mapping=rank,row,bank,bg,col"});
        BenchOptions counted, done;
        Nobody nobody;
        done.listener = [&](int) { return &nobody; };
        const auto traffic = [&] { return std::make_unique<Paused>(pause); };
        const auto a = run_memory_bench(m, traffic, "paused", counted),
                   b = run_memory_bench(m, traffic, "paused", done);
        EXPECT_EQ(a.commands.ref_ab, b.commands.ref_ab);
        EXPECT_EQ(a.commands.ref_pb, b.commands.ref_pb);
        EXPECT_GT(a.commands.ref_ab + a.commands.ref_pb, 15'000);
        EXPECT_EQ(a.cycles, b.cycles);
        EXPECT_EQ(a.commands.act, b.commands.act);
        EXPECT_EQ(a.read_latency_ns.mean, b.read_latency_ns.mean);
      }
}

TEST(LongPauses, OfAnHourEndAtOnce) {
  const config::Memory m = load_memory("lpddr5-6400", {"refresh=pb"});
  const auto r =
      run_memory_bench(m, [] { return std::make_unique<Paused>(2'880'000'000'000); }, "paused", {});
  EXPECT_NEAR(static_cast<double>(r.commands.ref_pb), 2.88e12 / 390.625, 1);
  EXPECT_LT(r.cpu_s, 1);
}

TEST(RowHitRate, IsAShareOfBurstsForEveryPatternMappingAndRefresh) {
  for (const char* mapping : {"RoBaCoBgCo", "RoBaCoBg", "RoCoBaBg"})
    for (const char* refresh : {"ab", "pb", "none"})
      for (const std::string& pattern : pattern_names())
        for (const Detail detail : {Detail::row, Detail::burst})
          EXPECT_TRUE(serves("lpddr5-6400",
                             {std::string("mapping=") + mapping, std::string("refresh=") + refresh}, pattern,
                             detail));
}

}  // namespace
}  // namespace edgenpu::hardware
