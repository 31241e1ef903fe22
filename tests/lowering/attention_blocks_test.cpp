// How attention is divided into blocks and parts.
#include "lowering/attention_blocks.h"

#include <gtest/gtest.h>

#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

workload::Attention prompt(std::int64_t m) {
  workload::Attention a{};
  a.m = m;
  a.requests = 1;
  a.heads = 8;
  a.kv_heads = 2;
  a.head_dim = 64;
  return a;
}

TEST(AttentionParts, HoldEachQueryOfABlockOnce) {
  const AttentionBlock block{0, 1, 16, 43, 0, 43, true, true};
  std::int64_t next = block.from;
  for (const AttentionBlock& part : parts_of(block, 8)) {
    EXPECT_EQ(part.from, next);
    EXPECT_EQ(part.head, 1);
    EXPECT_LE(part.queries(), 8);
    next = part.to;
  }
  EXPECT_EQ(next, block.to);
}

TEST(AttentionParts, AreThirtyTwoKiBOfScoresWhereTheEnginesDoNotCare) {
  config::Npu npu = test::sample_npu();  // a dot-product engine: twice the queries take twice as long
  workload::Operator op;
  op.body = prompt(512);
  const std::int64_t queries = queries_of_part({0, 0, 0, 512, 0, 512}, op, npu);
  EXPECT_LE(queries * 4 * 512 * kResultBytes, npu.vector_command.count());
  EXPECT_GT(2 * queries * 4 * 512 * kResultBytes, npu.vector_command.count());
}

TEST(AttentionParts, StayLargerWhereASystolicArrayWouldLoadItsWeightsMoreOften) {
  config::Npu npu = test::sample_npu();
  workload::Operator op;
  op.body = prompt(512);
  const AttentionBlock block{0, 0, 0, 64, 0, 512};
  const std::int64_t dot = queries_of_part(block, op, npu);
  npu.matrix.dataflow = config::Dataflow::weight_stationary;
  npu.matrix.rows = npu.matrix.columns = 128;
  EXPECT_GT(queries_of_part(block, op, npu), dot);
}

TEST(AttentionBlocks, HaveFourTimesTheHeadsWidthOfKeysWhereMoreBlocksFollow) {
  const workload::Attention body = prompt(2048);
  for (const AttentionBlock& b : attention_blocks(body, 16, Bytes(2 * 4 * 16 * 4 * 300))) {
    EXPECT_LE(b.keys(), 256);
    EXPECT_TRUE(b.closes || b.keys() == 256);
  }
}

TEST(AttentionBlocks, TakeAllKeysAtOnceWhereTheyFit) {
  const workload::Attention body = prompt(300);
  for (const AttentionBlock& b : attention_blocks(body, 16, Bytes(2 * 4 * 16 * 4 * 300)))
    EXPECT_TRUE(b.opens && b.closes);
}

}  // namespace
}  // namespace edgenpu::lowering
