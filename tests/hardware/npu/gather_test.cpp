// Gather descriptors to the picosecond. The sample NPU runs at 1 GHz, sets a descriptor up in 16 cycles and
// has two DMA channels; the memory moves 8.192 B/ns after 100 ns of latency.
#include <gtest/gtest.h>

#include "hardware/npu/npu_bench.h"

namespace edgenpu::hardware {
namespace {

using test::NpuBench;
using test::ProgramBuilder;
using test::sample_npu;

constexpr std::int64_t kSetup = 16'000, kIssue = 4'000, kLatency = 100'000, kKiB = 125'000;

config::Npu gathering(bool in_dram, int channels = 2) {
  config::Npu npu = sample_npu();
  npu.dma.gather = true;
  npu.dma.list_in_dram = in_dram;
  npu.dma.channels = channels;
  return npu;
}

// Descriptors of `pieces` pieces of 1 KiB each, 64 KiB apart.
ProgramBuilder gathers(int descriptors, int pieces) {
  ProgramBuilder b;
  for (int d = 0; d < descriptors; ++d) {
    const int command = b.load(1 << 20, pieces * 1024);
    lowering::Transfer& t =
        b.p.transfers[static_cast<std::size_t>(b.p.commands[static_cast<std::size_t>(command)].work)];
    t.first_piece = static_cast<std::int32_t>(b.p.gather.size());
    t.pieces = pieces;
    for (int i = 0; i < pieces; ++i) b.p.gather.push_back({(d * pieces + i) * 65'536, Bytes(1024)});
  }
  return b;
}

TEST(Gather, WaitsForItsListFromDram) {
  // 48 B of list: 5859.375 ps and the latency.
  NpuBench bench(gathering(true), gathers(1, 3).p);
  EXPECT_EQ(bench.run(), kIssue + kSetup + 5'859 + kLatency + 3 * kKiB + kLatency);
  EXPECT_EQ(bench.count("dma_descriptors"), 1);
  EXPECT_EQ(bench.count("dma_gather_pieces"), 3);
  EXPECT_EQ(bench.count("dma_list_B"), 48);
  EXPECT_EQ(bench.memory->bytes, 3 * 1024 + 48);
  EXPECT_EQ(bench.count("interconnect_B"), 3 * 1024 + 48);
  EXPECT_EQ(bench.count("scratchpad_write_B"), 3 * 1024) << "the list goes to the DMA, not to the scratchpad";
}

TEST(Gather, ReadsAListInTheScratchpadAtItsWidth) {
  // 48 B at 512 B a cycle: 93.75 ps.
  NpuBench bench(gathering(false), gathers(1, 3).p);
  EXPECT_EQ(bench.run(), kIssue + kSetup + 93 + 3 * kKiB + kLatency);
  EXPECT_EQ(bench.count("dma_list_B"), 0);
  EXPECT_EQ(bench.count("scratchpad_read_B"), 48);
  EXPECT_EQ(bench.memory->bytes, 3 * 1024);
}

TEST(Gather, WithoutOneEachPieceIsADescriptor) {
  ProgramBuilder b;
  for (int i = 0; i < 3; ++i) b.load(i * 65'536, 1024);
  config::Npu npu = sample_npu();
  npu.dma.channels = 1;
  EXPECT_EQ(NpuBench(npu, b.p).run(), kIssue + 3 * (kSetup + kKiB + kLatency));
}

TEST(Gather, FetchesAListWhileAnotherDescriptorsDataFlow) {
  // One channel: each descriptor waits for its own list. Two: the second list comes right after the first,
  // before the data of both.
  NpuBench bench(gathering(true, 2), gathers(2, 3).p);
  EXPECT_EQ(bench.run(), kIssue + kSetup + 5'859 + kLatency + 2 * 3 * kKiB + kLatency);
}

TEST(Gather, InOneChannelExposesEveryList) {
  // The first ends at 600859 ps; the second is set up from the next edge of the clock on.
  NpuBench bench(gathering(true, 1), gathers(2, 3).p);
  const std::int64_t each = kSetup + 5'859 + kLatency + 3 * kKiB + kLatency;
  EXPECT_EQ(kIssue + each, 600'859);
  EXPECT_EQ(bench.run(), 601'000 + each);
}

TEST(Gather, OfAStoreReadsItsListAndWritesItsPieces) {
  ProgramBuilder b;
  lowering::Transfer t{1 << 20, Bytes(2048), 1, Bytes(0)};
  t.pieces = 2;
  b.p.gather = {{0, Bytes(512)}, {65'536, Bytes(1536)}};
  b.store(t);
  NpuBench bench(gathering(true), b.p);
  bench.run();
  EXPECT_EQ(bench.memory->bytes, 2048 + 32);
  EXPECT_EQ(bench.count("scratchpad_read_B"), 2048);
}

}  // namespace
}  // namespace edgenpu::hardware
