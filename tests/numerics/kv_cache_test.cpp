#include "numerics/kv_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "numerics/half.h"
#include "numerics/tiny_models.h"

namespace edgenpu::numerics {
namespace {

using namespace edgenpu::test;

Architecture shape() {
  Architecture a;
  a.layers = 2;
  a.kv_heads = 2;
  a.head_dim = 32;
  return a;
}

TEST(KvCache, KeepsRowsInOrderByHead) {
  KvCache cache(shape(), Format::F32);
  Rows k(2, 64), v(2, 64);
  for (Eigen::Index i = 0; i < k.size(); ++i)
    k.data()[i] = static_cast<float>(i), v.data()[i] = -static_cast<float>(i);
  cache.append(1, k, v);
  cache.append(1, k.topRows(1), v.topRows(1));
  EXPECT_EQ(cache.length(0), 0);
  EXPECT_EQ(cache.length(1), 3);
  EXPECT_EQ(cache.keys(1, 1).decode_all()(1, 0), 96);
  EXPECT_EQ(cache.values(1, 0).decode_all()(2, 5), -5);
}

TEST(KvCache, TakesTheBytesOfItsFormat) {
  const Rows row = Rows::Constant(1, 64, 0.3f);
  for (const auto& [format, bytes] : {std::pair(Format::F32, 256), std::pair(Format::F16, 128),
                                      std::pair(Format::Q8_0, 68), std::pair(Format::Q4_0, 36)}) {
    KvCache cache(shape(), format);
    cache.append(0, row, row);
    EXPECT_EQ(cache.bytes(), 2 * bytes);
  }
}

TEST(KvCache, RoundsWhenItStores) {
  KvCache cache(shape(), Format::F16);
  const Rows row = Rows::Constant(1, 64, 0.1f);
  cache.append(0, row, row);
  EXPECT_EQ(cache.keys(0, 0).decode_all()(0, 0), round_to_half(0.1f));
}

TEST(KvCache, RefusesFormatsItCannotHoldAndHeadsThatAreNotWholeBlocks) {
  EXPECT_THROW(KvCache(shape(), Format::Q4_K), InputError);
  EXPECT_THROW(KvCache(shape(), Format::Q5_0), InputError);
  Architecture odd = shape();
  odd.head_dim = 48;
  EXPECT_THROW(KvCache(odd, Format::Q8_0), InputError);
  EXPECT_NO_THROW(KvCache(odd, Format::F16));
}

double kv_error(const Tiny& tiny, Format format, const Arithmetic& arithmetic) {
  const LoadedModel model = load_tiny(tiny.name);
  Transformer exact(model, arithmetic, Format::F16), studied(model, arithmetic, format);
  return agreement(studied.forward(tiny.tokens), exact.forward(tiny.tokens)).rms;
}

// Measured against an F16 cache; the logits' standard deviation is 2.3.
TEST(KvFormats, CostAccuracyInTheOrderOfTheirBits) {
  const auto arithmetic = make_float_arithmetic();
  for (const Tiny& tiny : tiny_models()) {
    const double f32 = kv_error(tiny, Format::F32, *arithmetic),
                 q8 = kv_error(tiny, Format::Q8_0, *arithmetic),
                 q4 = kv_error(tiny, Format::Q4_0, *arithmetic);
    EXPECT_GT(q8, 5 * f32);
    EXPECT_LT(q8, 0.05);
    EXPECT_GT(q4, 5 * q8);
    EXPECT_LT(q4, 0.5);
    RecordProperty(tiny.name, fmt::format("rms: F32 {:.5f}, Q8_0 {:.5f}, Q4_0 {:.5f}", f32, q8, q4));
  }
}

// With rounded activations any change of an input flips values near ties, which hides the difference of F32
// and Q8_0.
TEST(KvFormats, RunInGgmlArithmetic) {
  const auto arithmetic = make_ggml_arithmetic();
  for (const Tiny& tiny : tiny_models()) {
    EXPECT_LT(kv_error(tiny, Format::Q8_0, *arithmetic), 0.15);
    EXPECT_GT(kv_error(tiny, Format::Q4_0, *arithmetic), 2 * kv_error(tiny, Format::Q8_0, *arithmetic));
  }
}

// A window on a model that has none: as if the file said so.
Rows with_window(std::int64_t window, const std::vector<std::int32_t>& tokens, Format kv) {
  LoadedModel model = load_tiny("tiny_llama");
  model.architecture.window = window;
  const auto arithmetic = make_float_arithmetic();
  Transformer t(model, *arithmetic, kv);
  return decode_greedily(t, tokens, 0);
}

TEST(SlidingWindow, OfTheWholeContextChangesNothing) {
  const auto& tokens = tiny_models()[0].tokens;
  EXPECT_EQ(largest_difference(with_window(16, tokens, Format::F16), with_window(0, tokens, Format::F16)),
            0.0);
}

TEST(SlidingWindow, HidesEverythingButTheNewestKeys) {
  // Four layers with windows of 3 see 4 x 2 tokens back: the last position does not depend on the first
  // seven.
  std::vector<std::int32_t> tokens = tiny_models()[0].tokens;
  for (const Format kv : {Format::F32, Format::F16, Format::Q8_0, Format::Q4_0}) {
    const Rows a = with_window(3, tokens, kv);
    std::vector<std::int32_t> other = tokens;
    other[0] = 2;
    other[6] = 44;
    const Rows b = with_window(3, other, kv);
    EXPECT_GT(largest_difference(a.row(7), b.row(7)), 0.01);
    EXPECT_EQ(largest_difference(a.row(15), b.row(15)), 0.0);
  }
}

TEST(SlidingWindow, OfOneSeesOnlyTheTokenItself) {
  const auto& tokens = tiny_models()[0].tokens;
  const Rows a = with_window(1, tokens, Format::F32);
  const Rows alone = with_window(0, {tokens[0]}, Format::F32);
  EXPECT_LT(largest_difference(a.row(0), alone.row(0)), 1e-6);
  // With equal tokens, only the position differs, and a lone key has all the weight wherever it stands.
  const Rows same = with_window(1, {5, 5, 5}, Format::F32);
  EXPECT_LT(largest_difference(same.row(0), same.row(2)), 1e-5);
}

}  // namespace
}  // namespace edgenpu::numerics
