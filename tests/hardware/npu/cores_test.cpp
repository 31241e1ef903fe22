// The chip's CPU to the picosecond. The sample NPU runs at 1 GHz and issues its first command after 4 cycles.
#include <gtest/gtest.h>

#include "hardware/npu/npu_bench.h"

namespace edgenpu::hardware {
namespace {

using activity::Loss;
using lowering::Unit;
using lowering::Wait;
using test::NpuBench;
using test::ProgramBuilder;

constexpr std::int64_t kCycle = 1000;
constexpr std::int64_t kIssue = 4 * kCycle;
constexpr std::int64_t kHandover = 5'000'000;
constexpr std::int64_t kVectorStart = 8 * kCycle;

// Four cores of four lanes at 1 GHz; 4 x 8 accesses of 64 B in 100 ns: 20.48 B a nanosecond.
config::Npu npu_with_cores() {
  config::Npu npu = test::sample_npu();
  config::Cores c;
  c.cores = 4;
  c.clock = Hertz(1'000'000'000);
  c.lanes = 4;
  c.handover = Femtoseconds(kHandover * 1000);
  c.line = Bytes(64);
  c.outstanding = 8;
  c.latency = Femtoseconds(100'000'000);
  npu.cores = c;
  return npu;
}

struct Programs : ProgramBuilder {
  int cores(const lowering::CoresWork& work, const std::vector<lowering::Dependency>& waits = {},
            int op = 0) {
    p.cores.push_back(work);
    return add(Unit::cores, p.cores.size() - 1, waits, op);
  }
};

lowering::CoresWork whole(std::int64_t operations, std::int64_t read = 0, std::int64_t written = 0) {
  return {operations, 0, Bytes(read), Bytes(written), true, true};
}

TEST(Cores, TakeTheirLanesCyclesBetweenTwoHandOvers) {
  Programs b;
  b.cores(whole(1600));
  EXPECT_EQ(NpuBench(npu_with_cores(), b.p).run(), kIssue + kHandover + 100 * kCycle + kHandover);
}

// A vector command that waits for a placed operator.
constexpr std::int64_t kBehind = kIssue + 2 * kHandover + 100 * kCycle + kVectorStart + 30 * kCycle;

lowering::Program with_a_reader() {
  Programs b;
  const int placed = b.cores(whole(1600));
  b.vector(160, 3, {{placed, Wait::data}}, 1);
  return b.p;
}

TEST(Cores, LetWhatWaitsStartWithTheEndOfTheSecondHandOver) {
  EXPECT_EQ(NpuBench(npu_with_cores(), with_a_reader()).run(), kBehind);
}

TEST(Cores, LetNothingStartAPicosecondBefore) {
  NpuBench bench(npu_with_cores(), with_a_reader());
  sc_core::sc_start(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>((kBehind - 1) * 1000)));
  EXPECT_FALSE(bench.top->finished());
}

TEST(Cores, LetOtherUnitsWorkMeanwhile) {
  Programs b;
  b.cores(whole(1600));
  b.vector(160, 3, {}, 1);
  EXPECT_EQ(NpuBench(npu_with_cores(), b.p).run(), kIssue + kHandover + 100 * kCycle + kHandover);
}

TEST(Cores, AreHandedAnOperatorsCommandsOnceTogether) {
  Programs b;
  b.cores({1600, 0, Bytes(0), Bytes(0), true, false});
  b.cores({3200, 0, Bytes(0), Bytes(0), false, false});
  b.cores({1600, 0, Bytes(0), Bytes(0), false, true});
  NpuBench bench(npu_with_cores(), b.p);
  EXPECT_EQ(bench.run(), kIssue + kHandover + 400 * kCycle + kHandover);
  EXPECT_EQ(bench.count("cpu_handovers"), 2);
}

TEST(Cores, AreHandedEachOperatorByItself) {
  Programs b;
  b.cores(whole(1600), {}, 0);
  b.cores(whole(1600), {}, 1);
  NpuBench bench(npu_with_cores(), b.p);
  EXPECT_EQ(bench.run(), kIssue + 2 * (kHandover + 100 * kCycle + kHandover));
  EXPECT_EQ(bench.count("cpu_handovers"), 4);
}

TEST(Cores, WaitForTheirAccessesToTheScratchpad) {
  // 20,480 B at 20.48 B/ns, behind the first access: longer than 100 cycles of the lanes.
  Programs b;
  b.cores(whole(1600, 12'288, 8192));
  NpuBench bench(npu_with_cores(), b.p);
  EXPECT_EQ(bench.run(), kIssue + 2 * kHandover + 100 * kCycle + 1000 * kCycle);
  EXPECT_EQ(bench.count("scratchpad_read_B"), 12'288);
  EXPECT_EQ(bench.count("scratchpad_write_B"), 8192);
  EXPECT_EQ(bench.count("interconnect_B"), 20'480);
}

TEST(Cores, WaitForTheInterconnectWhereItIsNarrower) {
  config::Npu npu = npu_with_cores();
  npu.interconnect.width = Bytes(8);
  Programs b;
  b.cores(whole(1600, 12'288, 8192));
  EXPECT_EQ(NpuBench(npu, b.p).run(), kIssue + 2 * kHandover + 20'480 / 8 * kCycle);
}

TEST(Cores, WorkFromTheNextEdgeOfTheirOwnClock) {
  // 300 cycles of 1.5 GHz are 200 ns. 5004 ns is an edge of it: cycle 7506.
  config::Npu npu = npu_with_cores();
  npu.cores->clock = Hertz(1'500'000'000);
  Programs b;
  b.cores(whole(16 * 300));
  EXPECT_EQ(NpuBench(npu, b.p).run(), kIssue + 2 * kHandover + 200 * kCycle);
}

TEST(Cores, CountTheCyclesOfAllCoresWhileTheyAreAwake) {
  Programs b;
  b.cores(whole(1600));
  NpuBench bench(npu_with_cores(), b.p);
  bench.run();
  EXPECT_EQ(bench.count("core_cycles"), 4 * (5000 + 100 + 5000));
}

TEST(Cores, CountThePollingBetweenCommandsOfOneOperator) {
  // The second command waits for a matrix command of 1280 cycles and the pipeline behind the first.
  Programs b;
  const int first = b.cores({1600, 0, Bytes(0), Bytes(0), true, false});
  const int busy = b.matrix(8, 40'960, {{first, Wait::data}}, 1);
  b.cores({1600, 0, Bytes(0), Bytes(0), false, true}, {{busy, Wait::data}});
  NpuBench bench(npu_with_cores(), b.p);
  EXPECT_EQ(bench.run(), kIssue + 2 * kHandover + (100 + 1280 + 10 + 100) * kCycle);
  EXPECT_EQ(bench.count("core_cycles"), 4 * (5000 + 100 + 1290 + 100 + 5000));
}

TEST(CoresLedger, KeepsHandOversAndWorkApartWhereTheMemoryWaits) {
  Programs b;
  const int first = b.load(0, 4096, {}, 0);
  const int placed = b.cores(whole(1600), {{first, Wait::data}}, 1);
  b.load(4096, 4096, {{placed, Wait::space}}, 2);
  NpuBench bench(npu_with_cores(), b.p);
  const std::int64_t time = bench.run();
  EXPECT_EQ(bench.loss(Loss::handover), 2 * kHandover);
  EXPECT_EQ(bench.loss(Loss::cores), 100 * kCycle);
  EXPECT_EQ(bench.loss(Loss::compute), 0);
  Wide sum = 0;
  for (const auto& op : bench.ledger.losses()) sum += activity::sum_of(op);
  EXPECT_EQ(sum, time * 1000 * bench.ledger.channels());
}

TEST(CoresLedger, ChargesTheLastOperatorToTheCpuAndNotToTheTail) {
  Programs b;
  const int first = b.load(0, 4096, {}, 0);
  b.cores(whole(1600), {{first, Wait::data}}, 1);
  NpuBench bench(npu_with_cores(), b.p);
  bench.run();
  EXPECT_EQ(bench.loss(Loss::handover), 2 * kHandover);
  EXPECT_EQ(bench.loss(Loss::cores), 100 * kCycle);
  EXPECT_EQ(bench.loss(Loss::tail), 0);
}

TEST(Cores, MayWorkLongerThanAStandstillWouldBeTolerated) {
  Programs b;
  b.cores(whole(16 * 40'000'000));  // 40 ms
  EXPECT_EQ(NpuBench(npu_with_cores(), b.p).run(), kIssue + 2 * kHandover + 40'000'000 * kCycle);
}

TEST(CoresBuckets, SumToTheTime) {
  Programs b;
  const int first = b.load(0, 4096, {}, 0);
  b.cores(whole(1600), {{first, Wait::data}}, 1);
  NpuBench bench(npu_with_cores(), b.p);
  const std::int64_t time = bench.run();
  const auto engines = bench.top->engines(bench.top->end());
  ASSERT_EQ(engines.back().name, "cpu");
  Femtoseconds sum{0};
  for (const Femtoseconds t : engines.back().times) sum += t;
  EXPECT_EQ(sum.count(), time * 1000);
  EXPECT_EQ(engines.back().times[static_cast<std::size_t>(activity::Bucket::busy)].count(),
            (2 * kHandover + 100 * kCycle) * 1000);
}

}  // namespace
}  // namespace edgenpu::hardware
