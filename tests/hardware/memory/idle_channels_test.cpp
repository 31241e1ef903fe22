// Channels and ranks that nothing is asked of are refreshed and draw power as long as the others work.
#include <gtest/gtest.h>
#include <random>

#include "hardware/memory/memory_bench.h"
#include "hardware/memory/memory_fixture.h"
#include "hardware/memory/traffic.h"

namespace edgenpu::hardware {
namespace {

// `requests` reads of the first `bytes` of the memory, in order.
class Region : public TrafficSource {
 public:
  Region(std::int64_t requests, std::int64_t bytes) : left_(requests), bytes_(bytes) {}
  bool next(TrafficRequest& r) override {
    if (left_-- <= 0) return false;
    r = {};
    r.address = at_;
    at_ = (at_ + 64) % bytes_;
    return true;
  }

 private:
  std::int64_t left_, bytes_, at_ = 0;
};

result::MemoryResult run(const config::Memory& m, std::int64_t requests, std::int64_t bytes) {
  return run_memory_bench(
      m, [&] { return std::make_unique<Region>(requests, bytes); }, "region", BenchOptions{});
}

double rank_seconds(const result::MemoryResult& r) {
  double sum = 0;
  for (const auto& [state, seconds] : r.power_states_s) sum += seconds;
  return sum;
}

// 8 KiB lie in channel 0 alone.
TEST(IdleChannels, AreRefreshedAndPoweredToTheEnd) {
  for (const int channels : {1, 2, 16}) {
    const config::Memory m =
        load_memory("lpddr5-6400", {"channels=" + std::to_string(channels),
                                    "capacity=" + std::to_string(2 * channels) + " GiB", "refresh=ab"});
    const result::MemoryResult r = run(m, 4000, 8192);
    EXPECT_NEAR(rank_seconds(r), channels * r.time_ns * 1e-9, 1e-12) << channels;
    EXPECT_GE(r.commands.ref_ab, 2 * channels) << channels;
    EXPECT_GE(r.channels.back().commands.ref_ab, r.channels.front().commands.ref_ab) << channels;
  }
}

TEST(IdleChannels, AreBilledForTheWholeRunInRandomMachines) {
  std::mt19937 random(26);
  for (int i = 0; i < 24; ++i) {
    const int channels = 1 << random() % 4;
    const char* const modes[] = {"none", "ab", "pb"};
    const std::string mode = modes[i % 3];
    const config::Memory m =
        load_memory("lpddr5-6400", {"channels=" + std::to_string(channels),
                                    "capacity=" + std::to_string(2 * channels) + " GiB", "refresh=" + mode});
    const result::MemoryResult r =
        run(m, 2000 + static_cast<std::int64_t>(random() % 4000), 8192 << random() % 3);
    EXPECT_NEAR(rank_seconds(r), channels * m.ranks * r.time_ns * 1e-9, 1e-12);
    const double interval = (mode == "pb" ? m.t.tREFIpb : m.t.tREFI).value();
    const std::int64_t due = mode == "none" ? 0 : std::int64_t(double(r.cycles) / interval) * channels;
    const std::int64_t found = r.commands.ref_ab + r.commands.ref_pb;
    EXPECT_LE(found, due);
    EXPECT_GE(found, due - (m.controller.postpone + 1) * (mode == "none" ? 0 : channels)) << mode;
  }
}

}  // namespace
}  // namespace edgenpu::hardware
