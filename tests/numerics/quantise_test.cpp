#include "numerics/quantise.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/golden.h"

namespace edgenpu::numerics {
namespace {

using test::read_csv;
using test::read_values;

class Quantiser : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Quantiser, ::testing::Values("Q4_K", "Q6_K", "Q8_0"),
                         [](const auto& i) { return i.param; });

// Per case: our error over that of the reference quantiser, from its own dequantised output.
TEST_P(Quantiser, ErrsAtMostOnePercentMoreThanTheReferenceInEveryCase) {
  const std::string name = GetParam();
  const Format format = *vocabulary::format_by_name(name);
  const auto x = read_values<float>("ggml/input.f32.bin");
  const auto reference = read_values<float>("ggml/" + name + ".deq.f32.bin");
  for (const auto& cells : read_csv("ggml/cases.csv")) {
    const auto first = std::stoul(cells[1]);
    const auto count = std::stol(cells[2]);
    std::vector<float> decoded(static_cast<std::size_t>(count));
    const auto bytes = quantise(format, x.data() + first, count);
    decode(format, bytes.data(), count, decoded.data());
    const double ours = compare(x.data() + first, decoded.data(), count).relative_rms;
    const double theirs = compare(x.data() + first, reference.data() + first, count).relative_rms;
    EXPECT_LE(ours, 1.01 * theirs) << name << " " << cells[0];
    RecordProperty(cells[0], std::to_string(ours) + " against " + std::to_string(theirs));
  }
}

TEST(Q8_0Quantiser, GivesTheBytesOfTheReference) {
  const auto x = read_values<float>("ggml/input.f32.bin");
  EXPECT_EQ(quantise(Format::Q8_0, x.data(), 11008), read_values<std::uint8_t>("ggml/Q8_0.q.bin"));
}

TEST(Q4_0Quantiser, GivesTheBytesOfTheReference) {
  const auto x = read_values<float>("ggml/input.f32.bin");
  EXPECT_EQ(quantise(Format::Q4_0, x.data(), 11008), read_values<std::uint8_t>("ggml/Q4_0.q.bin"));
}

TEST(F16AndBf16Quantisers, GiveTheBytesOfTheReference) {
  const auto x = read_values<float>("ggml/input.f32.bin");
  EXPECT_EQ(quantise(Format::F16, x.data(), 11008), read_values<std::uint8_t>("ggml/F16.q.bin"));
  EXPECT_EQ(quantise(Format::BF16, x.data(), 11008), read_values<std::uint8_t>("ggml/BF16.q.bin"));
}

TEST(Quantiser, RefusesFormatsThatItDoesNotHaveAndPartsOfBlocks) {
  const std::vector<float> x(256, 1.0f);
  EXPECT_THROW(quantise(Format::Q3_K, x.data(), 256), InternalError);
  EXPECT_THROW(quantise(Format::Q4_K, x.data(), 128), InternalError);
}

}  // namespace
}  // namespace edgenpu::numerics
