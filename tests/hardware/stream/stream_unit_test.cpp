// Cores in front of memory: concurrency over latency, the channel as the limit, and aggregates that behave as
// lines.
#include <set>

#include "../npu/foreign_memory.h"
#include "hardware/stream/page_scatter.h"
#include "stream_bench.h"

namespace edgenpu::test {
namespace {

using activity::Loss;

double share(const activity::Snapshot& run, Loss loss) {
  const activity::LossTimes losses = run.total_losses();
  return static_cast<double>(losses[static_cast<std::size_t>(loss)]) / static_cast<double>(run.time.count()) /
         run.channels;
}

struct Case {
  const char* cpu;
  int cores;
  double cycles_per_byte;
};

class Aggregate : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(LatencyChannelAndComputeBound, Aggregate,
                         ::testing::Values(Case{"cpu-rk3588", 1, 0}, Case{"cpu-rk3588", 2, 0},
                                           Case{"cpu-rk3588", 4, 0}, Case{"cpu-rk3588", 4, 0.5},
                                           Case{"cpu-cortex-a78ae", 1, 0}, Case{"cpu-cortex-a78ae", 6, 0},
                                           Case{"cpu-i5-12400", 1, 0}, Case{"cpu-i5-12400", 6, 0},
                                           Case{"cpu-raspberry-pi-5", 1, 0}, Case{"cpu-raspberry-pi-5", 4, 0},
                                           Case{"cpu-raspberry-pi-5", 4, 1}));

// One request a line and no pace is the exact model.
TEST_P(Aggregate, TakesAsLongAsSingleLinesWithinThreePercent) {
  const config::Cpu cpu = load_cpu(GetParam().cpu);
  Stream stream;
  stream.cores = GetParam().cores;
  stream.cycles_per_byte = GetParam().cycles_per_byte;
  const double exact = gigabytes_per_second(run_stream(cpu, stream, parameters_of(cpu, cpu.line, false)));
  EXPECT_NEAR(bandwidth(cpu, stream) / exact, 1, 0.03);
}

// Measured by memchr of tinymembench on one core (sbc-bench reviews of a Raspberry Pi 5 Rev 1.1, a ROCK 5B
// and an Orin NX with the same Cortex-A78AE): the concurrency was derived from these figures and measured
// latencies, the channels and pages were not.
TEST(OneCore, ReadsAsFastAsItWasMeasuredWithinTenPercent) {
  EXPECT_NEAR(bandwidth(load_cpu("cpu-raspberry-pi-5"), {}) / 14.9, 1, 0.10);
  EXPECT_NEAR(bandwidth(load_cpu("cpu-rk3588"), {}) / 14.4, 1, 0.10);
  EXPECT_NEAR(bandwidth(load_cpu("cpu-cortex-a78ae"), {}) / 10.0, 1, 0.10);
}

// A little less than twice, since a page's first line opens a row for any number of them.
TEST(OutstandingMisses, DoubledNearlyDoubleTheBandwidthOfACore) {
  const auto rate = [](const char* n) {
    const config::Cpu cpu = load_cpu("cpu-rk3588", {std::string("core.outstanding=") + n});
    return gigabytes_per_second(run_stream(cpu, {}, parameters_of(cpu, cpu.line, false)));
  };
  for (const auto& [once, twice] : {std::pair{"4", "8"}, std::pair{"8", "16"}}) {
    EXPECT_GT(rate(twice) / rate(once), 1.8);
    EXPECT_LT(rate(twice) / rate(once), 2.02);
  }
}

TEST(OutstandingMisses, RaiseTheBandwidthOfAClusterUntilTheChannelsAreFull) {
  Stream stream;
  stream.cores = 4;
  std::vector<double> rates;
  for (const char* n : {"4", "8", "16", "32", "64", "128"})
    rates.push_back(bandwidth(load_cpu("cpu-rk3588", {std::string("core.outstanding=") + n}), stream));
  EXPECT_GT(rates[1], 1.6 * rates[0]);
  EXPECT_GT(rates[2], 1.4 * rates[1]);  // latency grows with the load
  EXPECT_LT(rates[5], 1.05 * rates[4]);
  EXPECT_GT(rates[5], 0.85 * 33.8);
  EXPECT_LT(rates[5], 33.8);
}

TEST(Latency, HalvedDoublesTheBandwidthOfACoreUntilTheChannelIsFull) {
  const std::vector<std::string> slow = {"core.outstanding=8", "memory.controller.latency=0 ns",
                                         "memory.controller.fabric_latency=400 ns"};
  const std::vector<std::string> fast = {
      "core.outstanding=8", "memory.controller.latency=0 ns",
      "memory.controller.fabric_latency=177 ns"};  // half, with 45 ns in the DRAM
  EXPECT_NEAR(bandwidth(load_cpu("cpu-rk3588", fast), {}) / bandwidth(load_cpu("cpu-rk3588", slow), {}), 2,
              0.15);

  Stream all;
  all.cores = 4;
  all.bytes = Bytes(64 << 20);  // 500 refreshes: where each falls does not count
  const double full = bandwidth(load_cpu("cpu-rk3588"), all);
  const double faster = bandwidth(load_cpu("cpu-rk3588", {"memory.controller.fabric_latency=0 ns"}), all);
  EXPECT_NEAR(faster / full, 1, 0.05);
}

TEST(Ledger, CallsALackOfRequestsQueueingAndFullWindowsCompute) {
  config::Cpu cpu = load_cpu("cpu-rk3588", {"core.outstanding=4"});
  const auto run = [&](double cycles) {
    Stream stream;
    stream.cycles_per_byte = cycles;
    return run_stream(cpu, stream, parameters_of(cpu, Bytes(64), true));
  };
  EXPECT_GT(share(run(0), Loss::queueing), 0.5);
  EXPECT_LT(share(run(0), Loss::compute), 0.01);
  EXPECT_GT(share(run(2), Loss::compute), 0.5);
  EXPECT_LT(share(run(2), Loss::queueing), 0.2);
}

TEST(StreamUnit, ReadsEveryByteOnceAndAccountsForItsTime) {
  const config::Cpu cpu = load_cpu("cpu-rk3588");
  Stream stream;
  stream.cores = 3;
  stream.bytes = Bytes(1'234'567);
  stream.written = Bytes(77'777);
  const activity::Snapshot run = run_stream(cpu, stream, parameters_of(cpu, Bytes(256), true));
  EXPECT_EQ(run.total("dram_read_B"), 1'234'567);
  EXPECT_EQ(run.total("dram_write_B"), 77'777);
  EXPECT_EQ(run.total("macs"), 1'234'567);
  for (const activity::EngineTimes& e : run.engines) {
    Femtoseconds sum{0};
    for (const Femtoseconds t : e.times) sum += t;
    EXPECT_EQ(sum, run.time) << e.name;
  }
}

TEST(StreamUnit, WorksWithAnotherTlmMemory) {
  const config::Cpu cpu = load_cpu("cpu-rk3588");
  const lowering::KernelProgram program = program_of({});
  const auto run = hardware::run_in_worker([&] {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    activity::Counters counters(1);
    activity::LossLedger ledger(1, 1);
    ForeignMemory memory("memory", 2, BytesPerSecond(10e9), Femtoseconds(100'000'000));
    PlainDevice device("device", "core", 2, parameters_of(cpu, Bytes(256), true), cpu.memory, program,
                       counters, ledger);
    for (int i = 0; i < 2; ++i) device.core(i).socket.bind(memory.socket(i));
    sc_core::sc_start();
    activity::Snapshot s;
    s.time = device.end();
    s.events = memory.bytes;
    return s;
  });
  EXPECT_EQ(run.snapshot.events, 4 << 20);
  // 4 MiB at 10 GB/s, and a latency.
  EXPECT_NEAR(static_cast<double>(run.snapshot.time.count()), (4 << 20) * 1e5 + 1e8, 3e7);
}

TEST(PageScatter, IsAPermutationThatKeepsOrderWithinAPage) {
  const hardware::PageScatter pages(Bytes(4096), Bytes(4096 * 1000));  // no power of two
  std::set<std::int64_t> seen;
  int moved = 0;
  for (std::int64_t p = 0; p < 1000; ++p) {
    const std::int64_t at = pages.physical(p * 4096);
    EXPECT_EQ(at % 4096, 0);
    EXPECT_LT(at, 4096 * 1000);
    EXPECT_EQ(pages.physical(p * 4096 + 100), at + 100);
    moved += at != p * 4096;
    seen.insert(at);
  }
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_GT(moved, 900);
}

TEST(PageScatter, LeavesContiguousMemoryAlone) {
  const hardware::PageScatter pages(Bytes(0), Bytes(1 << 30));
  EXPECT_EQ(pages.physical(123'456), 123'456);
}

}  // namespace
}  // namespace edgenpu::test
