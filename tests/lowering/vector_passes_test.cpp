// Passes of vector functions become lane words, reductions and traffic of the scratchpad.
#include <gtest/gtest.h>

#include "lowering/lower.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using config::VectorPass;
using test::sample_npu;
using test::sample_trace;

constexpr VectorPass kSums{1, true, false, true}, kScales{2, true, false, false};

void set_passes(config::Npu& npu, vocabulary::VectorFunction function,
                const std::vector<VectorPass>& passes) {
  npu.vector.passes[function] = passes;
  npu.vector.operations[function] = 0;
  for (const VectorPass& p : passes) npu.vector.operations[function] += p.operations;
}

// The first vector command of the operator.
VectorWork work_of(const Program& p, const std::string& name) {
  for (const Command& c : p.commands)
    if (c.unit == Unit::vector && p.operator_names[static_cast<std::size_t>(activity::index(c.op))] == name)
      return p.vector[static_cast<std::size_t>(c.work)];
  ADD_FAILURE() << name;
  return {};
}

TEST(VectorPasses, OfANormReadTheRowOnceMore) {
  // Other functions of the command: quantisation of the result to int8, in one pass of two operations.
  config::Npu npu = sample_npu();
  const VectorWork once = work_of(lower(sample_trace(1, 64), npu), "blk.0.attn_norm");
  EXPECT_EQ(once.operations, 2 + 2);
  EXPECT_EQ(once.words, 0);
  EXPECT_EQ(once.read, Bytes(256 * 4 + 256 * 4));  // the row, the weights

  set_passes(npu, vocabulary::VectorFunction::rms_norm, {kSums, kScales});
  const VectorWork twice = work_of(lower(sample_trace(1, 64), npu), "blk.0.attn_norm");
  EXPECT_EQ(twice.operations, 3 + 2);
  EXPECT_EQ(twice.words, 256 / 16);
  EXPECT_EQ(twice.trees, 1);
  EXPECT_EQ(twice.read - once.read, Bytes(256 * 4));
  EXPECT_EQ(twice.written, once.written);

  // Quantised in two passes, its result is kept in between as fp32.
  set_passes(npu, vocabulary::VectorFunction::quantise, {kSums, kScales});
  const VectorWork both = work_of(lower(sample_trace(1, 64), npu), "blk.0.attn_norm");
  EXPECT_EQ(both.operations, 6);
  EXPECT_EQ(both.trees, 2);
  EXPECT_EQ(both.read - twice.read, Bytes(256 * 4));
  EXPECT_EQ(both.written - twice.written, Bytes(256 * 4));
}

TEST(VectorPasses, OfASoftmaxCountEachHeadsRow) {
  // Four query heads share a KV head; 100 cached tokens and the new one: seven words of 16 a head.
  config::Npu npu = sample_npu();
  const VectorWork once = work_of(lower(sample_trace(1, 100), npu), "blk.0.attention");
  EXPECT_EQ(once.elements, 4 * 101);
  set_passes(npu, vocabulary::VectorFunction::softmax,
             {kSums, {5, true, true, true}, {1, true, false, false}});
  const VectorWork thrice = work_of(lower(sample_trace(1, 100), npu), "blk.0.attention");
  EXPECT_EQ(thrice.words, 4 * 7);
  EXPECT_EQ(thrice.trees, 2);
  EXPECT_EQ(thrice.read, once.read * 3);
  EXPECT_EQ(thrice.written, once.written * 2);
  // The row in registers: nothing more to read.
  set_passes(npu, vocabulary::VectorFunction::softmax,
             {kSums, {5, false, false, true}, {1, false, false, false}});
  const VectorWork kept = work_of(lower(sample_trace(1, 100), npu), "blk.0.attention");
  EXPECT_EQ(kept.read, once.read);
  EXPECT_EQ(kept.written, once.written);
  EXPECT_EQ(kept.trees, 2);
}

}  // namespace
}  // namespace edgenpu::lowering
