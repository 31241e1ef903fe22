// Pipelines and passes of the vector engine to the cycle. The sample NPU runs at 1 GHz with 16 lanes.
#include <gtest/gtest.h>

#include "hardware/npu/npu_bench.h"
#include "timing/unit_cycles.h"

namespace edgenpu::hardware {
namespace {

using lowering::Wait;
using test::NpuBench;
using test::ProgramBuilder;
using test::sample_npu;

constexpr std::int64_t kCycle = 1000;
constexpr std::int64_t kIssue = 4 * kCycle;
constexpr std::int64_t kStart = 8 * kCycle;

config::Npu with_pipelines(int n) {
  config::Npu npu = sample_npu();
  npu.vector.pipelines = n;
  return npu;
}

ProgramBuilder two_commands() {
  ProgramBuilder b;
  b.vector(1600, 2);
  b.vector(800, 2);
  return b;
}

TEST(VectorPipelines, OneTakesCommandsOneAfterTheOther) {
  EXPECT_EQ(NpuBench(with_pipelines(1), two_commands().p).run(), kIssue + 2 * kStart + (200 + 100) * kCycle);
}

TEST(VectorPipelines, TwoTakeTwoCommandsAtATime) {
  // The second is issued four cycles later and ends before the first.
  EXPECT_EQ(NpuBench(with_pipelines(2), two_commands().p).run(), kIssue + kStart + 200 * kCycle);
}

TEST(VectorPipelines, ReportInOrderSoThatTheLastOfSeveralStandsForAll) {
  ProgramBuilder b = two_commands();
  b.matrix(8, 4096, {{1, Wait::data}});
  EXPECT_EQ(NpuBench(with_pipelines(2), b.p).run(), kIssue + kStart + (200 + 128 + 10) * kCycle);
}

TEST(VectorPipelines, FallFreeBeforeTheyReport) {
  // Ends: the first at 4 + 8 + 200 = 212, the second at 8 + 8 + 100 = 116 in the other pipeline, where the
  // third follows: 116 + 8 + 100 = 224. Were it to wait for the report at 212, it would end at 320.
  ProgramBuilder b = two_commands();
  b.vector(800, 2);
  EXPECT_EQ(NpuBench(with_pipelines(2), b.p).run(), 224 * kCycle);
}

TEST(VectorPasses, TakeAWordForEachRowsEndAndATreeForEachReduction) {
  // Three rows of 20 elements: six words of 16 lanes, 3 operations over both passes, one tree of four levels.
  ProgramBuilder b;
  b.vector(60, 3);
  b.p.vector[0].words = 6;
  b.p.vector[0].trees = 1;
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + kStart + (6 * 3 + 4) * kCycle);
  EXPECT_EQ(timing::pass_cycles(6, 3, 1, 16, Cycles(8)), Cycles(30));
}

TEST(VectorPasses, OfOnePackAllElementsIntoWords) {
  ProgramBuilder b;
  b.vector(60, 3);
  EXPECT_EQ(NpuBench(sample_npu(), b.p).run(), kIssue + kStart + 4 * 3 * kCycle);
}

}  // namespace
}  // namespace edgenpu::hardware
