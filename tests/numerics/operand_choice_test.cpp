// lowering.operands in functional execution: the patterns that time a product also decide its arithmetic.
#include "numerics/operand_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "numerics/npu_arithmetic.h"
#include "numerics/tiny_models.h"

namespace edgenpu::numerics {
namespace {

using namespace edgenpu::test;
using ::testing::HasSubstr;

NpuArithmetic engine_with(const std::string& pattern, const std::string& pair) {
  NpuArithmetic engine;
  engine.operands = {{pattern, Position{"npu.yaml", 3, 5}, *vocabulary::operands_by_name(pair)}};
  return engine;
}

Rows logits(const NpuArithmetic& engine) {
  const LoadedModel model = load_tiny("tiny_llama");
  const auto arithmetic = make_npu_arithmetic(engine);
  Transformer t(model, *arithmetic, Format::F16);
  return t.forward({1, 300, 17, 262});
}

TEST(OperandChoice, OfAllProductsInFp16IsTheArithmeticOfHalfOperands) {
  NpuArithmetic half;
  half.half_operands = true;
  EXPECT_EQ(largest_difference(logits(engine_with("*", "fp16")), logits(half)), 0);
  EXPECT_GT(largest_difference(logits(engine_with("*", "bf16")), logits(half)), 0);
}

TEST(OperandChoice, OfIntegersUndoesHalfOperands) {
  NpuArithmetic both = engine_with("*", "int8");
  both.half_operands = true;
  EXPECT_EQ(largest_difference(logits(both), logits({})), 0);
}

TEST(OperandChoice, ConcernsTheNamedProductsOnly) {
  const NpuArithmetic one = engine_with("blk.1.ffn_down", "fp16");
  EXPECT_NE(choice_of(one, "blk.1.ffn_down.weight"), nullptr);
  EXPECT_EQ(choice_of(one, "blk.0.ffn_down.weight"), nullptr);
  EXPECT_NE(choice_of(engine_with("output", "fp16"), "token_embd.weight"), nullptr) << "a tied embedding";
  EXPECT_NE(choice_of(engine_with("attn_*", "fp16"), "blk.0.attn_q.weight"), nullptr);
}

TEST(OperandChoice, IsRefusedForUnknownMatricesAndImpossibleOperands) {
  const LoadedModel model = load_tiny("tiny_llama");
  const auto refusal = [&](const NpuArithmetic& engine) -> std::string {
    try {
      check_operands(engine, model.file);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(engine_with("ffn_dwon", "fp16")), HasSubstr("did you mean 'ffn_down'?"));
  EXPECT_THAT(refusal(engine_with("*", "int4_int8")), HasSubstr("they can become int8, fp16, bf16"));
  EXPECT_EQ(refusal(engine_with("*", "int8")), "");
}

}  // namespace
}  // namespace edgenpu::numerics
