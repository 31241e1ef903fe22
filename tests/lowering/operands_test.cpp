// lowering.operands: products in another format than their weights ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/resolve.h"
#include "lowering/assign.h"
#include "lowering/lower.h"
#include "lowering/sample_npu.h"
#include "lowering/values.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::lowering {
namespace {

using test::sample_npu;
using test::sample_trace;
using ::testing::HasSubstr;
using workload::Trace;

config::Npu npu_with(const std::vector<std::pair<std::string, std::string>>& operands) {
  config::Npu npu = sample_npu();
  for (const auto& [pattern, pair] : operands)
    npu.operands.push_back({pattern, Position{"npu.yaml", 9, 5}, *vocabulary::operands_by_name(pair)});
  return npu;
}

int operator_called(const Trace& t, const std::string& name) {
  for (std::size_t i = 0; i < t.operators.size(); ++i)
    if (t.operators[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << name;
  return 0;
}

// The first command of an operator on a unit.
template <class Work>
Work first_work(const Program& p, const std::vector<Work>& works, Unit unit, int op) {
  for (const Command& c : p.commands)
    if (c.unit == unit && activity::index(c.op) == op) return works[static_cast<std::size_t>(c.work)];
  ADD_FAILURE() << "no command";
  return {};
}

std::string pair_of(const Program& p, int op) {
  const MatrixWork w = first_work(p, p.matrix, Unit::matrix, op);
  return name_of(p.operand_pairs[static_cast<std::size_t>(w.operands)].pair);
}

std::string refusal(const config::Npu& npu) {
  try {
    lower(sample_trace(1, 10), npu);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Operands, AreThoseOfTheFirstPatternThatFits) {
  const Trace t = sample_trace(2, 10);
  const Program p = lower(t, npu_with({{"blk.1.attn_*", "bf16"}, {"attn_q", "fp16"}, {"output", "fp16"}}));
  EXPECT_EQ(pair_of(p, operator_called(t, "blk.0.attn_q")), "fp16");
  EXPECT_EQ(pair_of(p, operator_called(t, "blk.0.attn_k")), "int4_int8");
  EXPECT_EQ(pair_of(p, operator_called(t, "blk.1.attn_q")), "bf16");
  EXPECT_EQ(pair_of(p, operator_called(t, "output")), "fp16");
}

TEST(Operands, OfSixteenBitsTakeTwoBytesAnActivationAndNoQuantiseWork) {
  const Trace t = sample_trace(1, 10);
  config::Npu narrow = sample_npu(), wide = npu_with({{"attn_output", "fp16"}});
  for (config::Npu* npu : {&narrow, &wide}) npu->vector.operations[vocabulary::VectorFunction::quantise] = 3;
  const int product = operator_called(t, "blk.0.attn_output"),
            attention = operator_called(t, "blk.0.attention");
  const Program before = lower(t, narrow), after = lower(t, wide);
  EXPECT_EQ(first_work(before, before.matrix, Unit::matrix, product).activations, Bytes(256));
  EXPECT_EQ(first_work(after, after.matrix, Unit::matrix, product).activations, Bytes(512));
  // The command that ends attention: a division (2), and before that the rounding to int8 (3).
  EXPECT_EQ(before.vector.back().operations, after.vector.back().operations);
  std::int64_t operations[] = {0, 0};
  int i = 0;
  for (const Program* p : {&before, &after}) {
    for (const Command& c : p->commands)
      if (c.unit == Unit::vector && activity::index(c.op) == attention)
        operations[i] += p->vector[static_cast<std::size_t>(c.work)].operations *
                         p->vector[static_cast<std::size_t>(c.work)].elements;
    ++i;
  }
  EXPECT_EQ(operations[0] - operations[1], 3 * 256);
}

TEST(Operands, InTwoFormatsMakeAValueBeStoredInBoth) {
  const auto element = [](const config::Npu& npu) {
    const Trace t = assigned(sample_trace(1, 10), npu);
    return values_of(t, consumers_of(t))[static_cast<std::size_t>(operator_called(t, "blk.0.attn_norm"))]
        .element;
  };
  EXPECT_EQ(element(sample_npu()), 1);
  EXPECT_EQ(element(npu_with({{"attn_q", "fp16"}})), 1 + 2);
  EXPECT_EQ(element(npu_with({{"*", "fp16"}})), 2);
}

TEST(Operands, ThatWeightsCannotBecomeAreRefusedWithThoseTheyCan) {
  EXPECT_THAT(refusal(npu_with({{"attn_v", "int4_int8"}})),
              HasSubstr("npu.yaml:9:5: lowering.operands has 'int4_int8' for blk.0.attn_v, whose weights are "
                        "Q6_K; they can become int8, fp16, bf16"));
}

TEST(Operands, ForAnUnknownProductAreRefusedWithTheNearestName) {
  EXPECT_THAT(refusal(npu_with({{"atn_v", "fp16"}})), HasSubstr("did you mean 'attn_v'?"));
  EXPECT_THAT(refusal(npu_with({{"attn_norm", "fp16"}})), HasSubstr("which is no matrix product of sample"));
}

// Q8_K holds activations, and Q4_0_4_4 is an Arm CPU's order of rows.
TEST(ShippedNpu, DecodesEveryFormatOfAGgufFilesWeights) {
  const config::Npu npu = config::read_npu(config::load_hardware_tree(
      std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml", {}));
  for (const vocabulary::FormatInfo& f : vocabulary::all_formats()) {
    const std::string name = f.name;
    if (f.ggml_type < 0 || name == "Q8_K" || name == "Q4_0_4_4") continue;
    EXPECT_EQ(npu.matrix.decode.count(f.name), 1u) << f.name;
  }
}

}  // namespace
}  // namespace edgenpu::lowering
