#include "numerics/npu_arithmetic.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "numerics/accuracy.h"
#include "numerics/function_table.h"
#include "numerics/npu_product.h"
#include "numerics/operator_errors.h"
#include "numerics/tiny_models.h"

namespace edgenpu::numerics {
namespace {

using namespace edgenpu::test;

TEST(Accumulator, SaturatesOrWrapsAtItsWidth) {
  NpuArithmetic e;
  e.accumulator_bits = 8;
  EXPECT_EQ(Accumulator(e).add(100, 27), 127);
  EXPECT_EQ(Accumulator(e).add(100, 28), 127);
  EXPECT_EQ(Accumulator(e).add(-100, -100), -128);
  e.overflow = Overflow::wrap;
  EXPECT_EQ(Accumulator(e).add(100, 28), -128);
  EXPECT_EQ(Accumulator(e).add(-100, -100), 56);
}

TEST(Accumulator, CutsLowBitsOfProductsToTheNearestOrDown) {
  NpuArithmetic e;
  e.dropped_bits = 2;
  EXPECT_EQ(Accumulator(e).cut(6), 2);
  EXPECT_EQ(Accumulator(e).cut(-7), -2);
  EXPECT_EQ(Accumulator(e).value(-2), -8.0f);
  e.cut = Cut::truncate;
  EXPECT_EQ(Accumulator(e).cut(7), 1);
  EXPECT_EQ(Accumulator(e).cut(-1), -1);
}

TEST(FunctionTable, IsExactAtItsEntriesAndConstantBeyond) {
  const FunctionTable t([](float x) { return x * x; }, 0, 4, 5);
  EXPECT_EQ(t(2), 4.0f);
  EXPECT_EQ(t(2.5f), 6.5f);  // between 4 and 9
  EXPECT_EQ(t(-1), 0.0f);
  EXPECT_EQ(t(9), 16.0f);
}

// KL and rms of an engine's logits against float arithmetic.
Accuracy accuracy(const LoadedModel& model, const std::vector<std::int32_t>& tokens,
                  const Arithmetic& arithmetic) {
  const auto exact = make_float_arithmetic();
  Transformer reference(model, *exact, Format::F32), studied(model, arithmetic, Format::F16);
  const Rows a = studied.forward(tokens), b = reference.forward(tokens);
  return compare_logits({a.data(), a.data() + a.size()}, {b.data(), b.data() + b.size()},
                        studied.vocabulary());
}

Accuracy accuracy(const NpuArithmetic& engine, const char* name = "tiny_llama") {
  const LoadedModel model = load_tiny(name);
  return accuracy(model, tiny_models()[0].tokens, *make_npu_arithmetic(engine));
}

class Npu : public ::testing::TestWithParam<Tiny> {};
INSTANTIATE_TEST_SUITE_P(All, Npu, ::testing::ValuesIn(tiny_models()),
                         [](const auto& i) { return i.param.name; });

TEST_P(Npu, WithWideAccumulatorsGivesEachProductOfGgmlToRounding) {
  const LoadedModel model = load_tiny(GetParam().name);
  for (const ScaleAt scale_at : {ScaleAt::accumulator, ScaleAt::group}) {
    NpuArithmetic engine;
    engine.scale_at = scale_at;
    const auto npu = make_npu_arithmetic(engine), ggml = make_ggml_arithmetic();
    const OperatorErrors probe(*npu, *ggml);
    Transformer t(model, probe, Format::F16);
    t.forward(GetParam().tokens);
    EXPECT_FALSE(probe.errors().empty());
    for (const auto& [name, e] : probe.errors()) EXPECT_LT(e.relative_rms(), 5e-7) << name;
  }
}

TEST_P(Npu, WithWideAccumulatorsGivesTheLogitsOfGgml) {
  const LoadedModel model = load_tiny(GetParam().name);
  const auto npu = make_npu_arithmetic({}), ggml = make_ggml_arithmetic();
  Transformer a(model, *npu, Format::F16), b(model, *ggml, Format::F16);
  const Agreement g = agreement(a.forward(GetParam().tokens), b.forward(GetParam().tokens));
  EXPECT_GE(g.close, 8);
  EXPECT_LT(g.largest, 0.3);  // where an activation near a tie of rounding flips
  EXPECT_GE(g.same_choice, 14);
}

// Block sums of this model's products and scales need 23 bits.
TEST(NpuAccuracy, DegradesAsTheAccumulatorNarrows) {
  NpuArithmetic engine;
  const double wide = accuracy(engine).rms;
  engine.accumulator_bits = 23;
  EXPECT_EQ(accuracy(engine).rms, wide);
  engine.accumulator_bits = 22;
  const double narrow = accuracy(engine).rms;
  engine.accumulator_bits = 21;
  EXPECT_GT(narrow, 3 * wide);
  EXPECT_GT(accuracy(engine).rms, 2 * narrow);
}

// Without the scales, sums of 32 products of 4 by 8 bits need 15.
TEST(NpuAccuracy, NeedsFewerBitsWhenTheScaleComesAfterTheAccumulator) {
  NpuArithmetic engine;
  engine.scale_at = ScaleAt::group;
  const double wide = accuracy(engine).rms;
  engine.accumulator_bits = 15;
  EXPECT_EQ(accuracy(engine).rms, wide);
  engine.accumulator_bits = 13;
  EXPECT_GT(accuracy(engine).rms, 10 * wide);
}

TEST(NpuAccuracy, SuffersMoreFromWrappingThanFromSaturation) {
  NpuArithmetic engine;
  engine.accumulator_bits = 22;
  const double saturating = accuracy(engine).kl;
  engine.overflow = Overflow::wrap;
  EXPECT_GT(accuracy(engine).kl, 5 * saturating);
}

TEST(NpuAccuracy, DegradesAsLowBitsOfProductsAreDropped) {
  NpuArithmetic engine;
  const double exact = accuracy(engine).rms;
  engine.dropped_bits = 6;
  const double nearest = accuracy(engine).rms;
  engine.cut = Cut::truncate;
  EXPECT_GT(nearest, exact);
  EXPECT_GT(accuracy(engine).rms, nearest);
}

TEST(NpuAccuracy, DegradesWhenTheScaleMovesToTheRow) {
  NpuArithmetic engine;
  const Accuracy group = accuracy(engine);
  engine.scale_at = ScaleAt::row;
  engine.activation_factor = ActivationFactor::row;
  EXPECT_GT(accuracy(engine).rms, 1.2 * group.rms);
}

TEST(NpuAccuracy, DegradesWithHalfPrecisionPartialSums) {
  NpuArithmetic engine;
  engine.half_operands = true;
  const double wide = accuracy(engine).rms;
  engine.partial_sums = SumFormat::F16;
  const double half = accuracy(engine).rms;
  engine.partial_sums = SumFormat::BF16;
  EXPECT_GT(half, 2 * wide);
  EXPECT_GT(accuracy(engine).rms, 2 * half);
}

TEST(NpuAccuracy, GainsFromTilesWhenPartialSumsAreNarrow) {
  NpuArithmetic engine;
  engine.half_operands = true;
  engine.partial_sums = SumFormat::BF16;
  const double whole = accuracy(engine).rms;
  engine.tile_k = 256;
  EXPECT_NE(accuracy(engine).rms, whole);
}

TEST(NpuAccuracy, DegradesWithFewerActivationBitsAndSmallTables) {
  NpuArithmetic engine;
  const double full = accuracy(engine).rms;
  engine.activation_bits = 6;
  EXPECT_GT(accuracy(engine).rms, 2 * full);
  engine.activation_bits = 8;
  engine.function_entries = 16;
  EXPECT_GT(accuracy(engine).rms, 2 * full);
  engine.function_entries = 4096;
  EXPECT_LT(accuracy(engine).rms, 1.1 * full);
}

TEST(NpuOptions, OutOfRangeAreRefused) {
  const auto refused = [](auto change) {
    NpuArithmetic e;
    change(e);
    EXPECT_THROW(make_npu_arithmetic(e), InputError);
  };
  refused([](NpuArithmetic& e) { e.activation_bits = 9; });
  refused([](NpuArithmetic& e) { e.accumulator_bits = 7; });
  refused([](NpuArithmetic& e) { e.accumulator_bits = 33; });
  refused([](NpuArithmetic& e) { e.dropped_bits = 16; });
  refused([](NpuArithmetic& e) { e.tile_k = 100; });
  refused([](NpuArithmetic& e) { e.function_entries = 4; });
}

}  // namespace
}  // namespace edgenpu::numerics
