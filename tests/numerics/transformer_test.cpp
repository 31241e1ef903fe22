#include "numerics/transformer.h"

#include <gtest/gtest.h>

#include "numerics/dot.h"
#include "numerics/parallel.h"
#include "numerics/tiny_models.h"

namespace edgenpu::numerics {
namespace {

using namespace edgenpu::test;

class TinyModel : public ::testing::TestWithParam<Tiny> {};
INSTANTIATE_TEST_SUITE_P(All, TinyModel, ::testing::ValuesIn(tiny_models()),
                         [](const auto& i) { return i.param.name; });

TEST_P(TinyModel, FloatLogitsAreThoseOfTheFloatReferenceWithin1e4) {
  const LoadedModel model = load_tiny(GetParam().name);
  const auto arithmetic = make_float_arithmetic();
  Transformer prefill(model, *arithmetic, Format::F32), decode(model, *arithmetic, Format::F32);
  const Rows expected = tiny_logits(GetParam().name, "floatref.prefill", prefill.vocabulary());
  const double prefill_error = largest_difference(prefill.forward(GetParam().tokens), expected);
  EXPECT_LT(prefill_error, 1e-4);
  const Rows steps = tiny_logits(GetParam().name, "floatref.decode", decode.vocabulary());
  const double decode_error = largest_difference(decode_greedily(decode, GetParam().tokens, 8), steps);
  EXPECT_LT(decode_error, 1e-4);
  RecordProperty("errors", std::to_string(prefill_error) + " " + std::to_string(decode_error));
}

TEST_P(TinyModel, GgmlLogitsAreThoseOfLlamaCppInPrefill) {
  const LoadedModel model = load_tiny(GetParam().name);
  const auto arithmetic = make_ggml_arithmetic();
  Transformer t(model, *arithmetic, Format::F16);
  const Agreement g =
      agreement(t.forward(GetParam().tokens), tiny_logits(GetParam().name, "prefill", t.vocabulary()));
  EXPECT_GT(g.close, 8);
  EXPECT_LT(g.largest, 0.3);
  EXPECT_GE(g.same_choice, 14);
  RecordProperty("prefill", std::to_string(g.close) + " close, largest " + std::to_string(g.largest));
}

TEST_P(TinyModel, GgmlLogitsAreThoseOfLlamaCppInDecodeAndEightGreedySteps) {
  const LoadedModel model = load_tiny(GetParam().name);
  const auto arithmetic = make_ggml_arithmetic();
  Transformer t(model, *arithmetic, Format::F16);
  const Rows expected = tiny_logits(GetParam().name, "decode", t.vocabulary());
  const Agreement g = agreement(decode_greedily(t, GetParam().tokens, 8), expected);
  EXPECT_GT(g.close, 12);
  EXPECT_LT(g.largest, 0.3);
  EXPECT_EQ(g.same_choice, 24);
  RecordProperty("decode", std::to_string(g.close) + " close, largest " + std::to_string(g.largest));
}

// Stronger than the tolerances above, and as strong as the C library's sine and cosine are the same.
TEST_P(TinyModel, GgmlLogitsAreThoseOfLlamaCppBitForBit) {
  const LoadedModel model = load_tiny(GetParam().name);
  const auto arithmetic = make_ggml_arithmetic();
  Transformer prefill(model, *arithmetic, Format::F16), decode(model, *arithmetic, Format::F16);
  const Rows expected = tiny_logits(GetParam().name, "prefill", prefill.vocabulary());
  EXPECT_EQ(largest_difference(prefill.forward(GetParam().tokens), expected), 0.0);
  const Rows steps = tiny_logits(GetParam().name, "decode", decode.vocabulary());
  EXPECT_EQ(largest_difference(decode_greedily(decode, GetParam().tokens, 8), steps), 0.0);
}

TEST_P(TinyModel, GgmlPrefillAndDecodeAreEqualBitForBit) {
  const LoadedModel model = load_tiny(GetParam().name);
  const auto arithmetic = make_ggml_arithmetic();
  Transformer prefill(model, *arithmetic, Format::F16), decode(model, *arithmetic, Format::F16);
  EXPECT_EQ(
      largest_difference(prefill.forward(GetParam().tokens), decode_greedily(decode, GetParam().tokens, 0)),
      0.0);
}

TEST(GgmlArithmetic, MultipliesRowsThatAreNotAMultipleOfFourByFloats) {
  const Rows w = Rows::Random(6, 40), x = Rows::Random(3, 40);
  const Matrix matrix{"w", Format::F32, 6, 40, reinterpret_cast<const std::uint8_t*>(w.data())};
  const Rows found = make_ggml_arithmetic()->multiply(matrix, x);
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index r = 0; r < 6; ++r)
      EXPECT_EQ(found(i, r), dot_floats(w.row(r).data(), x.row(i).data(), 40));
}

// One core or several: the same bits.
TEST(Results, DoNotDependOnTheNumberOfThreads) {
  const LoadedModel model = load_tiny("tiny_llama");
  for (const auto& make : {make_float_arithmetic, make_ggml_arithmetic}) {
    const auto arithmetic = make();
    Rows results[2];
    for (const int threads : {1, 5}) {
      set_threads(threads);
      Transformer t(model, *arithmetic, Format::F16);
      results[threads == 5] = t.forward(tiny_models()[0].tokens);
    }
    EXPECT_EQ(largest_difference(results[0], results[1]), 0.0);
  }
  set_threads(0);
}

}  // namespace
}  // namespace edgenpu::numerics
