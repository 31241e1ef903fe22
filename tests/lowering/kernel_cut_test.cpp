// Long parts of kernels by a stretch: what is cut, and that nothing is lost.
#include "lowering/kernel_cut.h"

#include <gtest/gtest.h>
#include <map>

namespace edgenpu::lowering {
namespace {

KernelProgram one_part(std::int64_t rows, std::int64_t row_bytes, std::int64_t grain) {
  KernelPart p;
  p.read = {4096, Bytes(rows * row_bytes), 1, Bytes(0)};
  p.write.count = 0;
  p.rows = rows;
  p.grain = grain;
  p.cycles = Cycles(rows * 7 + 3);
  p.macs = Macs(rows * 100);
  KernelProgram program;
  program.kernels = {Kernel{{p}}};
  program.operators = 1;
  program.operator_names = {"a"};
  return program;
}

const KernelCutLimits kLimits{Bytes(64 << 10), Bytes(128 << 10), Bytes(64 << 10)};

TEST(KernelCut, KeepsBytesRowsAndProductsExactly) {
  KernelProgram program = one_part(16384, 2304, 64);
  const std::vector<KernelPiece> pieces = cut(program, 4, kLimits);
  ASSERT_EQ(pieces.size(), 1u);
  const std::vector<KernelPart>& parts = program.kernels[0].parts;
  ASSERT_EQ(parts.size(), 3u);
  const std::int64_t k = pieces[0].periods;
  EXPECT_EQ(parts[0].rows + k * parts[1].rows + parts[2].rows, 16384);
  EXPECT_EQ(parts[0].read_bytes() + k * parts[1].read_bytes() + parts[2].read_bytes(), Bytes(16384 * 2304));
  EXPECT_EQ(parts[0].macs + k * parts[1].macs + parts[2].macs, Macs(16384 * 100));
  EXPECT_EQ(activity::index(parts[1].op), 1);
  EXPECT_EQ(program.operators, 2);
}

// 10 cores, grains of one row: a stretch of 64 rows gave four cores a row more than the others.
TEST(KernelCut, GivesEveryCoreTheSameShareOfAStretch) {
  KernelProgram program = one_part(16384, 8192, 1);
  ASSERT_EQ(cut(program, 10, kLimits).size(), 1u);
  const std::vector<KernelPart>& parts = program.kernels[0].parts;
  EXPECT_EQ(parts[0].rows % 10, 0);
  EXPECT_EQ(parts[1].rows % 10, 0);
  EXPECT_EQ(parts[1].read_bytes().count() % 64, 0);
}

TEST(KernelCut, KeepsStretchesOnWholeLines) {
  KernelProgram program = one_part(16384, 18, 8);
  ASSERT_EQ(cut(program, 3, {Bytes(1 << 10), Bytes(2 << 10), Bytes(1 << 10)}).size(), 1u);
  EXPECT_EQ(program.kernels[0].parts[1].read_bytes().count() % 64, 0);
  EXPECT_EQ(program.kernels[0].parts[1].rows % 24, 0);
}

TEST(KernelCut, PutsTheEndWhereItLies) {
  KernelProgram program = one_part(16384, 2304, 64);
  cut(program, 4, kLimits);
  const KernelPart& last = program.kernels[0].parts[2];
  EXPECT_EQ(last.read.address + last.read_bytes().count(), 4096 + 16384 * 2304);
  EXPECT_EQ(program.kernels[0].parts[1].read.address,
            4096 + program.kernels[0].parts[0].read_bytes().count());
}

TEST(KernelCut, LeavesPartsAloneThatAreShortOrSharedInOneGrainACore) {
  KernelProgram small = one_part(128, 2304, 64);
  EXPECT_TRUE(cut(small, 4, kLimits).empty());
  KernelProgram even = one_part(16384, 2304, 4096);
  EXPECT_TRUE(cut(even, 4, kLimits).empty());
  EXPECT_EQ(even.kernels[0].parts.size(), 1u);
}

}  // namespace
}  // namespace edgenpu::lowering
