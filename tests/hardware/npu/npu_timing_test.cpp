// Timing of the NPU's units to the cycle. The sample NPU runs at 1 GHz: a cycle is 1000 ps.
#include <gtest/gtest.h>

#include "hardware/npu/npu_bench.h"

namespace edgenpu::hardware {
namespace {

using activity::Loss;
using lowering::Wait;
using test::NpuBench;
using test::ProgramBuilder;
using test::sample_npu;

constexpr std::int64_t kCycle = 1000;
constexpr std::int64_t kIssue = 4 * kCycle;
constexpr std::int64_t kPipeline = 10 * kCycle;
constexpr std::int64_t kVectorStart = 8 * kCycle;

TEST(NpuTiming, AMatrixCommandTakesItsPassesAndThePipeline) {
  // 8 outputs on two engines of four rows: one row of passes; 4096 / 32 columns; decoding 4 x 4096 weights at
  // 256.
  ProgramBuilder b;
  b.matrix(8, 4096);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + 128 * kCycle + kPipeline);
}

TEST(NpuTiming, ASlowDecoderHoldsTheEnginesLonger) {
  ProgramBuilder b;
  b.p.formats[0].weights_per_cycle = 64;
  b.matrix(8, 4096);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + 4 * 4096 / 64 * kCycle + kPipeline);
}

TEST(NpuTiming, TheNextMatrixCommandDoesNotWaitForThePipeline) {
  ProgramBuilder b;
  b.matrix(8, 4096);
  b.matrix(8, 4096);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + 2 * 128 * kCycle + kPipeline);
}

TEST(NpuTiming, ACommandThatNeedsAResultWaitsForThePipeline) {
  ProgramBuilder b;
  const int first = b.matrix(8, 4096);
  b.matrix(8, 4096, {{first, Wait::data}});
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + 2 * (128 * kCycle + kPipeline));
}

TEST(NpuTiming, AVectorCommandTakesItsStartAndItsLaneOperations) {
  ProgramBuilder b;
  b.vector(160, 3);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + kVectorStart + 10 * 3 * kCycle);
}

TEST(NpuTiming, UnitsWorkAtTheSameTimeWhereNothingForbidsIt) {
  ProgramBuilder b;
  b.matrix(8, 4096);
  b.vector(160, 3);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + 128 * kCycle + kPipeline);
}

TEST(NpuTiming, ALoadTakesSetupTransferAndLatency) {
  // 8 KiB in two granules of 4 KiB, at 8.192 GB/s: 1000 ns, after 16 cycles of setup, before 100 ns of
  // latency.
  ProgramBuilder b;
  b.load(0, 8192);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + 16 * kCycle + 1'000'000 + 100'000);
}

TEST(NpuTiming, ABarrierIsIssuedWhenAllBeforeItHaveFinished) {
  ProgramBuilder b;
  b.vector(160, 3);
  b.vector(160, 3);
  // In the queue, the second starts as the first ends; behind a barrier it is issued then: no cycle of issue
  // is exposed, but what would overlap does not.
  b.p.commands[1].barrier = true;
  b.matrix(8, 4096);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(),
            kIssue + (kVectorStart + 30 * kCycle) + kIssue + 128 * kCycle + kPipeline);
}

TEST(NpuTiming, WithoutABarrierTheNextUnitIsAlreadyAtWork) {
  ProgramBuilder b;
  b.vector(160, 3);
  b.vector(160, 3);
  b.matrix(8, 4096);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), 3 * kIssue + 128 * kCycle + kPipeline);
}

TEST(NpuTiming, EnginesThatDivideAReductionMoveAndAddTheirPartialSums) {
  // Two engines: one partial sum of 4 B for each of 8 outputs; divided along the outputs, none.
  ProgramBuilder b;
  b.matrix(8, 4096);
  b.p.matrix[0].split = config::Split::reduction;
  NpuBench bench(sample_npu(), b.p);
  // 2 rows of passes over 2048 / 32 columns, one level of the tree, two rows of outputs through it.
  EXPECT_EQ(bench.run(), kIssue + (2 * 64 + 1 + 2) * kCycle + kPipeline);
  EXPECT_EQ(bench.count("partial_sum_B"), 8 * 4);
  EXPECT_EQ(bench.count("partial_sum_adds"), 8);
}

TEST(NpuTiming, EnginesThatDivideTheOutputsMoveNoPartialSums) {
  ProgramBuilder b;
  b.matrix(8, 4096);
  NpuBench bench(sample_npu(), b.p);
  bench.run();
  EXPECT_EQ(bench.count("partial_sum_B"), 0);
  EXPECT_EQ(bench.count("partial_sum_adds"), 0);
}

TEST(NpuTiming, TheHostsOverheadComesFirst) {
  config::Npu npu = sample_npu();
  npu.host_overhead = Femtoseconds(2'000'000'000);
  ProgramBuilder b;
  b.vector(16, 1);
  NpuBench bench(npu, b.p);
  EXPECT_EQ(bench.run(), 2'000'000 + kIssue + kVectorStart + kCycle);
  EXPECT_EQ(bench.loss(Loss::issue), 2'000'000 + kIssue);
}

TEST(NpuTiming, OneDmaChannelPaysSetupAndLatencyForEveryDescriptor) {
  config::Npu npu = sample_npu();
  npu.dma.channels = 1;
  ProgramBuilder b;
  for (int i = 0; i < 4; ++i) b.load(i * 8192, 8192);
  EXPECT_EQ(NpuBench(npu, b.p).run(), kIssue + 4 * (16 * kCycle + 1'000'000 + 100'000));
}

TEST(NpuTiming, TwoDmaChannelsKeepTheMemoryBusy) {
  ProgramBuilder b;
  for (int i = 0; i < 4; ++i) b.load(i * 8192, 8192);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + 16 * kCycle + 4 * 1'000'000 + 100'000);
}

TEST(NpuTiming, FewRequestsInFlightLimitTheBandwidth) {
  // 4 KiB in flight: each granule waits for the one before it, latency included.
  config::Npu npu = sample_npu();
  npu.dma.outstanding = 64;
  ProgramBuilder b;
  b.load(0, 16384);
  EXPECT_EQ(NpuBench(npu, b.p).run(), kIssue + 16 * kCycle + 4 * (500'000 + 100'000));
}

TEST(NpuTiming, ARequestIsInFlightUntilItsDataHavePassedTheWires) {
  // The same over wires of 4 B a cycle: 1024 cycles a granule, which begin when the first byte comes from a channel
  // and end after the last: only then the next granule is asked for.
  config::Npu npu = sample_npu();
  npu.dma.outstanding = 64;
  npu.interconnect.width = Bytes(4);
  const Femtoseconds stream =
      time_of(Bytes(4096), BytesPerSecond(npu.memory.peak().count() / npu.memory.channels));
  const std::int64_t first_byte = std::max<std::int64_t>(0, 600'000 - stream.count() / 1000);
  ProgramBuilder b;
  b.load(0, 16384);
  EXPECT_NEAR(static_cast<double>(NpuBench(npu, b.p).run()),
              static_cast<double>(kIssue + 16 * kCycle + 4 * (first_byte + 1024 * kCycle)), 10);
}

TEST(NpuTiming, AStrideMovesOnlyThePiecesOfADescriptor) {
  ProgramBuilder b;
  b.store({4000, Bytes(256), 3, Bytes(8192)});
  NpuBench bench(sample_npu(), b.p);
  bench.run();
  EXPECT_EQ(bench.memory->bytes, 768);
  EXPECT_EQ(bench.count("interconnect_B"), 768);
  EXPECT_EQ(bench.count("scratchpad_read_B"), 768);
}

TEST(NpuLedger, ChargesAFullBufferToTheCommandThatHoldsIt) {
  ProgramBuilder b;
  const int first = b.load(0, 4096, {}, 0);
  const int busy = b.matrix(8, 40'960, {{first, Wait::data}}, 1);
  b.load(4096, 4096, {{busy, Wait::space}}, 2);
  NpuBench bench(sample_npu(), b.p);
  const std::int64_t time = bench.run();
  EXPECT_EQ(bench.loss(Loss::compute), 1280 * kCycle + kPipeline);
  EXPECT_EQ(bench.ledger.losses()[1][static_cast<std::size_t>(Loss::compute)] / 2000,
            1280 * kCycle + kPipeline)
      << "to the operator that computes";
  std::int64_t sum = 0;
  for (int l = 0; l < activity::kLosses; ++l) sum += bench.loss(static_cast<Loss>(l));
  EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(time), activity::kLosses);
}

TEST(NpuLedger, ChargesAnImposedOrderToDependency) {
  ProgramBuilder b;
  const int first = b.load(0, 4096, {}, 0);
  const int busy = b.matrix(8, 40'960, {{first, Wait::data}}, 1);
  b.load(4096, 4096, {{busy, Wait::order}}, 2);
  NpuBench bench(sample_npu(), b.p);
  bench.run();
  EXPECT_EQ(bench.loss(Loss::dependency), 1280 * kCycle + kPipeline);
  EXPECT_EQ(bench.loss(Loss::compute), 0);
}

TEST(NpuLedger, ChargesWhatFollowsTheLastTransferToTheTail) {
  ProgramBuilder b;
  const int first = b.load(0, 4096);
  b.matrix(8, 4096, {{first, Wait::data}});
  NpuBench bench(sample_npu(), b.p);
  bench.run();
  EXPECT_EQ(bench.loss(Loss::tail), 128 * kCycle + kPipeline);
}

TEST(NpuBuckets, SumToTheTimeAndNameWhatAUnitWaitedFor) {
  ProgramBuilder b;
  const int first = b.load(0, 8192);
  const int product = b.matrix(8, 4096, {{first, Wait::data}});
  b.vector(16, 1, {{product, Wait::data}});
  NpuBench bench(sample_npu(), b.p);
  const std::int64_t time = bench.run();
  for (const activity::EngineTimes& e : bench.top->engines(bench.top->end())) {
    Femtoseconds sum{0};
    for (const Femtoseconds t : e.times) sum += t;
    EXPECT_EQ(sum.count(), time * 1000) << e.name;
  }
  const auto engines = bench.top->engines(bench.top->end());
  const auto of = [&](std::size_t engine, activity::Bucket bucket) {
    return engines[engine].times[static_cast<std::size_t>(bucket)].count() / 1'000'000;
  };
  EXPECT_EQ(of(0, activity::Bucket::busy), 128);
  EXPECT_EQ(of(0, activity::Bucket::wait_data), 16 + 1100 - 4) << "from its issue, 4 cycles after the load's";
  EXPECT_GT(of(1, activity::Bucket::wait_dependency), 900);
}

TEST(NpuDeadlock, IsReportedWithWhatEveryQueueWaitsFor) {
  ProgramBuilder b;
  b.vector(16, 1);
  b.matrix(8, 128, {{2, Wait::data}});
  b.matrix(8, 128, {{1, Wait::data}});  // behind the first in the queue, and what it waits for
  NpuBench bench(sample_npu(), b.p);
  sc_core::sc_start();
  EXPECT_FALSE(bench.top->finished());
  EXPECT_NE(bench.top->describe().find("matrix: command 1 of a is queued, waits for command 2 (matrix)"),
            std::string::npos)
      << bench.top->describe();
}

}  // namespace
}  // namespace edgenpu::hardware
