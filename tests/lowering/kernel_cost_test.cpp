// Instructions of one operator under a runtime.
#include "lowering/kernel_cost.h"

#include <gtest/gtest.h>

namespace edgenpu::lowering {
namespace {

using vocabulary::Format;
using workload::MatMul;

constexpr std::size_t kInteger = 4;  // of config::kInstructionNames

config::Runtime with_narrow_rows() {
  config::Runtime r;
  r.kernels.formats["Q4_K"].count[kInteger] = 512;
  r.kernels.formats["Q8_0"].count[kInteger] = 256;
  r.kernels.row.count[kInteger] = 1000;
  r.kernels.narrow_below["Q4_K"] = 2048;
  r.kernels.narrow_row.count[kInteger] = 100;
  return r;
}

double integers(const config::Runtime& r, Format format, std::int64_t m, std::int64_t n, std::int64_t k) {
  workload::Operator op;
  op.name = "product";
  op.body = MatMul{m, n, k, format, Bytes(0)};
  return CostModel(r).of(op).work.count[kInteger];
}

TEST(NarrowRows, CostLessThanOnesThatOccupyABlock) {
  const config::Runtime r = with_narrow_rows();
  EXPECT_EQ(integers(r, Format::Q4_K, 1, 10, 2048), 10 * (8 * 512 + 1000));
  EXPECT_EQ(integers(r, Format::Q4_K, 1, 10, 1792), 10 * (7 * 512 + 100));
  EXPECT_EQ(integers(r, Format::Q8_0, 1, 10, 256), 10 * (256 + 1000));  // no such kernel for this format
}

TEST(NarrowRows, AreNoMatterOfMatrixKernels) {
  config::Runtime r = with_narrow_rows();
  r.kernels.batch_from = 8;
  r.kernels.batch_tile = 64;
  EXPECT_EQ(integers(r, Format::Q4_K, 7, 10, 1792), 7 * 10 * (7 * 512 + 100));
  EXPECT_EQ(integers(r, Format::Q4_K, 8, 10, 1792), 10 * (7 * 512 + 1000));
}

constexpr std::size_t kLoad = 2;  // of config::kInstructionNames

KernelCost attention(const config::Runtime& r, std::int64_t m, std::int64_t heads) {
  workload::Operator op;
  op.name = "attention";
  op.body = workload::Attention{m, heads, 1, 128, 1024 - m, 0, Format::F16, 1};
  return CostModel(r).of(op);
}

config::Runtime with_a_head_a_core() {
  config::Runtime r;
  r.split = config::Runtime::Split::elements;
  r.kernels.formats["F16"];
  r.kernels.functions[vocabulary::VectorFunction::softmax];
  r.kernels.per_head.emplace().count[kLoad] = 128;
  return r;
}

TEST(AttentionByHeads, OccupiesAsManyCoresAsThereAreQueryHeads) {
  config::Runtime r = with_a_head_a_core();
  EXPECT_EQ(attention(r, 1, 4).rows, 4);
  r.kernels.per_head.reset();
  EXPECT_EQ(attention(r, 1, 4).rows, 4 * 1024 / 64);
}

TEST(AttentionByHeads, TakesTheCacheInForEachHead) {
  const config::Runtime r = with_a_head_a_core();
  EXPECT_EQ(attention(r, 1, 4).work.count[kLoad], 4 * 2 * 1024 * 128 / 256 * 128);
  EXPECT_EQ(attention(r, 1, 8).work.count[kLoad], 2 * attention(r, 1, 4).work.count[kLoad]);
}

TEST(AttentionByHeads, TakesTheCacheInOnceForTheRowsOfABatchedTile) {
  config::Runtime r = with_a_head_a_core();
  const double row_by_row = attention(r, 64, 4).work.count[kLoad];
  r.kernels.batch_from = 2;
  r.kernels.batch_tile = 32;
  EXPECT_EQ(attention(r, 64, 4).work.count[kLoad], row_by_row / 32);
}

}  // namespace
}  // namespace edgenpu::lowering
