#include "numerics/block.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

#include "numerics/activation.h"
#include "numerics/dot.h"
#include "numerics/half.h"
#include "support/golden.h"

namespace edgenpu::numerics {
namespace {

using test::read_csv;
using test::read_values;

// F16 and BF16 last: they have no integer product.
constexpr const char* kFormats[] = {"Q4_K", "Q5_K", "Q6_K", "Q3_K",   "Q2_K",   "Q8_0", "Q4_0",
                                    "Q4_1", "Q5_0", "Q5_1", "IQ4_NL", "IQ4_XS", "F16",  "BF16"};

class GoldenFormat : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, GoldenFormat, ::testing::ValuesIn(kFormats),
                         [](const auto& i) { return i.param; });

TEST_P(GoldenFormat, DecodesToTheFloatsOfTheReferenceBitForBit) {
  const Format format = *vocabulary::format_by_name(GetParam());
  const auto blocks = read_values<std::uint8_t>(std::string("ggml/") + GetParam() + ".q.bin");
  const auto expected = read_values<std::uint32_t>(std::string("ggml/") + GetParam() + ".deq.f32.bin");
  std::vector<float> found(expected.size());
  ASSERT_EQ(found.size(), 11008u);
  decode(format, blocks.data(), static_cast<std::int64_t>(found.size()), found.data());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(bits_of(found[i]), expected[i]) << "element " << i;
}

// Open Compute Project, Microscaling Formats v1.0: E2M1 is a sign, two bits of exponent, one of mantissa; the
// block's factor is 2^(e - 127).
TEST(Mxfp4, DecodesToThePublishedValuesOfItsCodes) {
  const float e2m1[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  std::uint8_t block[17] = {130};
  for (int i = 0; i < 16; ++i) block[1 + i] = static_cast<std::uint8_t>(i | (15 - i) << 4);
  float found[32];
  decode(Format::MXFP4, block, 32, found);
  for (int code = 0; code < 16; ++code) {
    const float value = 8 * (code < 8 ? e2m1[code] : -e2m1[code - 8]);
    EXPECT_EQ(found[code], value) << "code " << code;
    EXPECT_EQ(found[31 - code], value) << "code " << code << " in a high nibble";
  }
}

TEST(Mxfp4, KeepsTheSmallestAndLargestFactors) {
  std::uint8_t block[17] = {0, 1};
  float found[32];
  decode(Format::MXFP4, block, 32, found);
  EXPECT_EQ(found[0], std::ldexp(0.5F, -127));
  block[0] = 254;
  decode(Format::MXFP4, block, 32, found);
  EXPECT_EQ(found[0], std::ldexp(0.5F, 127));
}

class GoldenProduct : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, GoldenProduct,
                         ::testing::ValuesIn(std::begin(kFormats), std::end(kFormats) - 2),
                         [](const auto& i) { return i.param; });

class GoldenRounding : public ::testing::TestWithParam<std::pair<Rounding8, const char*>> {};
INSTANTIATE_TEST_SUITE_P(All, GoldenRounding,
                         ::testing::Values(std::pair(Rounding8::Q8_K, "Q8_K"),
                                           std::pair(Rounding8::Q8_0, "Q8_0"),
                                           std::pair(Rounding8::Q8_1, "Q8_1")),
                         [](const auto& i) { return i.param.second; });

TEST_P(GoldenRounding, GivesTheBytesOfTheReferenceForTheProductsRow) {
  const auto x = read_values<float>("ggml/dot.X.f32.bin");
  const auto expected = read_values<std::uint8_t>(std::string("ggml/dot.X.") + GetParam().second + ".bin");
  EXPECT_EQ(pack(round_activations(GetParam().first, x.data(), static_cast<std::int64_t>(x.size()))),
            expected);
}

TEST(GoldenRoundingOfCases, GivesTheBytesOfTheReference) {
  const auto x = read_values<float>("ggml/input.f32.bin");
  for (const auto& [rounding, name] :
       {std::pair(Rounding8::Q8_K, "Q8_K"), std::pair(Rounding8::Q8_0, "Q8_0")}) {
    const auto expected = read_values<std::uint8_t>(std::string("ggml/") + name + ".q.bin");
    const auto found = pack(round_activations(rounding, x.data(), static_cast<std::int64_t>(x.size())));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << name << " byte " << i;
  }
}

TEST(Rounding8, OfNanAndInfinityDoesNotCrash) {
  std::vector<float> x(256, 1.0f);
  x[3] = std::numeric_limits<float>::infinity();
  x[7] = std::numeric_limits<float>::quiet_NaN();
  for (const Rounding8 r : {Rounding8::Q8_K, Rounding8::Q8_0, Rounding8::Q8_1})
    EXPECT_EQ(round_activations(r, x.data(), 256).q.size(), 256u);
}

struct DotRow {
  UnpackedRow weights;
  Activations activations;
  float reference;     // ggml's scalar float32
  double dequantised;  // float64 dot of the dequantised operands
};

// The rows of dot.csv for one format of integer form.
std::vector<DotRow> dot_rows(const std::string& name) {
  const Format format = *vocabulary::format_by_name(name);
  const auto x = read_values<float>("ggml/dot.X.f32.bin");
  const auto w = read_values<std::uint8_t>("ggml/dot." + name + ".W.q.bin");
  std::vector<DotRow> rows;
  for (const auto& cells : read_csv("ggml/dot.csv")) {
    if (cells[0] != name) continue;
    DotRow row{{},
               round_activations(rounding_for(format), x.data(), 1024),
               std::stof(cells[3]),
               std::stod(cells[4])};
    unpack_row(format, w.data() + rows.size() * w.size() / 8, 1024, row.weights);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST_P(GoldenProduct, MultipliesLikeTheReferenceBitForBit) {
  const auto rows = dot_rows(GetParam());
  ASSERT_EQ(rows.size(), 8u);
  for (const DotRow& row : rows) EXPECT_EQ(dot(row.weights, row.activations), row.reference);
}

// F16 and BF16 weights: the activation is rounded to the same format, float32 products are added in double.
TEST(GoldenDot, Of16BitFormatsIsThatOfTheReferenceBitForBit) {
  const auto x = read_values<float>("ggml/dot.X.f32.bin");
  for (const auto& cells : read_csv("ggml/dot.csv")) {
    if (cells[0] != "F16" && cells[0] != "BF16") continue;
    const auto w = read_values<std::uint8_t>("ggml/dot." + cells[0] + ".W.q.bin");
    std::vector<float> weights(1024), rounded(1024);
    decode(*vocabulary::format_by_name(cells[0]), w.data() + 2048 * std::stoul(cells[2]), 1024,
           weights.data());
    for (std::size_t i = 0; i < 1024; ++i)
      rounded[i] = cells[0] == "F16" ? round_to_half(x[i]) : bf16_to_float(float_to_bf16(x[i]));
    EXPECT_EQ(dot_floats(weights.data(), rounded.data(), 1024), std::stof(cells[3])) << cells[0] << cells[2];
  }
}

TEST_P(GoldenProduct, MultipliesWithinTheBoundOfTheReferenceData) {
  // Q8_1's separately rounded sum: the reference itself is 6.28e-4 off (stated as 6e-4, rounded).
  const double bound = GetParam() == std::string("Q4_1") || GetParam() == std::string("Q5_1") ? 6.3e-4 : 8e-7;
  for (const DotRow& row : dot_rows(GetParam()))
    EXPECT_NEAR(dot(row.weights, row.activations), row.dequantised, bound);
}

// d8 (d S - dmin M) with exact integers S and M: what an engine with 32-bit accumulators computes before it
// rounds.
TEST(IntegerForm, OfQ4KAgreesWithTheReferenceWithinItsBound) {
  for (const DotRow& row : dot_rows("Q4_K")) {
    double total = 0;
    for (std::size_t n = 0; n < row.weights.blocks.size(); ++n) {
      const Block& b = row.weights.blocks[n];
      const BlockSums s = block_sums(block_shape(Format::Q4_K), b, row.activations, n);
      const double d = b.d, dmin = b.dmin, d8 = row.activations.d[n];
      total += d8 * (d * s.scaled - dmin * s.minimum);
    }
    EXPECT_NEAR(total, row.reference, 8e-7);
  }
}

TEST(Half, WidensEveryValueAndNarrowsItBack) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const float wide = half_to_float(static_cast<std::uint16_t>(h));
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(round_to_half(wide)));
    } else {
      ASSERT_EQ(float_to_half(wide), h);
    }
  }
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
}

TEST(Half, NarrowsToTheNearestAndTiesToEven) {
  for (std::uint32_t h = 0; h < 0x7bff; ++h) {
    const float low = half_to_float(static_cast<std::uint16_t>(h)),
                high = half_to_float(static_cast<std::uint16_t>(h + 1));
    const float middle = low + (high - low) / 2;  // exact in float32
    ASSERT_EQ(float_to_half(middle), h % 2 == 0 ? h : h + 1);
    ASSERT_EQ(float_to_half(std::nextafter(middle, 0.0f)), h);
    ASSERT_EQ(float_to_half(std::nextafter(middle, 1e9f)), h + 1);
  }
  EXPECT_EQ(float_to_half(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00);
}

TEST(Bf16, NarrowsToTheNearestAndTiesToEven) {
  EXPECT_EQ(float_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(float_to_bf16(float_of(0x3f808000)), 0x3f80);
  EXPECT_EQ(float_to_bf16(float_of(0x3f818000)), 0x3f82);
  EXPECT_EQ(float_to_bf16(float_of(0x3f808001)), 0x3f81);
}

}  // namespace
}  // namespace edgenpu::numerics
