// Every key of the section `arithmetic` changes the logits of a small model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>

#include "numerics/npu_arithmetic.h"
#include "numerics/tiny_models.h"
#include "support/leaves.h"

namespace edgenpu::numerics {
namespace {

using namespace edgenpu::test;
using ::testing::IsEmpty;

TEST(ArithmeticLeaves, ChangeTheLogits) {
  const Value tree = config::parse_text(
      "{arithmetic: {half_operands: false, activation_bits: 8, activation_factor: block, accumulator_bits: "
      "20, "
      "overflow: saturate, dropped_bits: 2, cut: nearest, scale_at: accumulator, partial_sums: f16, tile_k: "
      "256, "
      "function_entries: 64}, lowering: {operands: {attn_q: fp16}}}",
      "keys");
  const LoadedModel model = load_tiny("tiny_llama");
  const Probe logits = [&model](const Value& t) {
    const auto arithmetic = make_npu_arithmetic(read_npu_arithmetic(t));
    Transformer transformer(model, *arithmetic, Format::F16);
    const Rows rows = transformer.forward({1, 300, 17});
    return std::string(reinterpret_cast<const char*>(rows.data()),
                       static_cast<std::size_t>(rows.size()) * sizeof(float));
  };
  // Rows of the model are too short for tiles of whole blocks.
  const Probe halves = [&](const Value& t) {
    return logits(config::merge(t, config::parse_text("{arithmetic: {half_operands: true}}", "variant")));
  };
  const Tally tally = change_leaves(tree, {logits, halves}, [](const std::string&) { return false; });
  std::cout << tally.text("arithmetic") << std::endl;
  EXPECT_EQ(tally.leaves, 12);
  EXPECT_THAT(tally.dead, IsEmpty());
}

}  // namespace
}  // namespace edgenpu::numerics
