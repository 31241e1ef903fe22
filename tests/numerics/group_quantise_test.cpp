#include "numerics/group_quantise.h"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/golden.h"

namespace edgenpu::numerics {
namespace {

using test::read_values;

// The bell-shaped and the heavy-tailed case of the reference data.
std::vector<float> bell() {
  const auto x = read_values<float>("ggml/input.f32.bin");
  return {x.begin(), x.begin() + 4096};
}
std::vector<float> heavy() {
  const auto x = read_values<float>("ggml/input.f32.bin");
  return {x.begin() + 6144, x.begin() + 7168};
}

double error(const std::vector<float>& x, Levels levels, int bits, int group) {
  const auto count = static_cast<std::int64_t>(x.size());
  std::vector<float> y(x.size());
  decode(group_quantise({levels, bits, group}, x.data(), count), y.data());
  return compare(x.data(), y.data(), count).relative_rms;
}

TEST(GroupQuantisation, CountsTheBitsOfScaleAndZeroPoint) {
  const auto x = bell();
  EXPECT_DOUBLE_EQ(bits_per_value(group_quantise({Levels::range, 4, 4}, x.data(), 4096)), 4 + 20.0 / 4);
  EXPECT_DOUBLE_EQ(bits_per_value(group_quantise({Levels::range, 4, 128}, x.data(), 4096)), 4 + 20.0 / 128);
  EXPECT_DOUBLE_EQ(bits_per_value(group_quantise({Levels::equalised, 4, 32}, x.data(), 4096)),
                   4 + 1 + 256.0 / 4096);
}

TEST(GroupQuantisation, ErrsHalfAStepAtMostInsideTheRange) {
  const auto x = bell();
  const GroupQuantised q = group_quantise({Levels::range, 4, 32}, x.data(), 4096);
  std::vector<float> y(4096);
  decode(q, y.data());
  // Rounding the zero point moves the ends by half a step too.
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LE(std::fabs(x[i] - y[i]), 1.001f * q.scale[i / 32]);
}

TEST(GroupQuantisation, KeepsZeroExactly) {
  const std::vector<float> x = {0.0f, 3.0f, -1.0f, 0.0f};
  std::vector<float> y(4);
  decode(group_quantise({Levels::range, 4, 4}, x.data(), 4), y.data());
  EXPECT_EQ(y[0], 0.0f);
  EXPECT_EQ(y[3], 0.0f);
}

TEST(GroupQuantisation, ErrsMoreWithLargerGroupsAndFewerBits) {
  const auto x = bell();
  for (const Levels levels : {Levels::range, Levels::clipped, Levels::equalised}) {
    double last = 0;
    for (const int group : {4, 16, 64, 256}) {
      const double e = error(x, levels, 4, group);
      EXPECT_GT(e, last) << group;
      last = e;
    }
    EXPECT_GT(error(x, levels, 3, 32), error(x, levels, 4, 32));
    EXPECT_GT(error(x, levels, 4, 32), error(x, levels, 6, 32));
  }
}

TEST(GroupQuantisation, ErrsLessWithClipping) {
  EXPECT_LT(error(bell(), Levels::clipped, 4, 128), error(bell(), Levels::range, 4, 128));
  EXPECT_LT(error(heavy(), Levels::clipped, 4, 128), error(heavy(), Levels::range, 4, 128));
}

TEST(GroupQuantisation, UsesEveryEqualisedLevelEquallyOften) {
  const auto x = bell();
  const GroupQuantised q = group_quantise({Levels::equalised, 4, 256}, x.data(), 4096);
  std::vector<int> uses(16);
  for (const std::uint8_t c : q.codes) ++uses[c];
  for (const int n : uses) EXPECT_NEAR(n, 256, 128);
}

TEST(GroupQuantisation, TakesAShortLastGroupAndAConstant) {
  const std::vector<float> x(37, 0.75f);
  for (const Levels levels : {Levels::range, Levels::clipped, Levels::equalised})
    EXPECT_LT(error(x, levels, 4, 32), 1e-3);
}

TEST(GroupQuantisation, RefusesGroupsAndBitsOutOfRange) {
  const float x = 1;
  EXPECT_THROW(group_quantise({Levels::range, 4, 3}, &x, 1), InputError);
  EXPECT_THROW(group_quantise({Levels::range, 4, 257}, &x, 1), InputError);
  EXPECT_THROW(group_quantise({Levels::range, 1, 32}, &x, 1), InputError);
  EXPECT_THROW(group_quantise({Levels::range, 9, 32}, &x, 1), InputError);
}

TEST(QuantiserComparison, HasOneRowForEachBlockFormatAndEachGroupMethod) {
  const auto x = bell();
  const auto rows = compare_quantisers(x.data(), 4096, {4, 128});
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_EQ(rows[4].name, "Q4_K");
  EXPECT_DOUBLE_EQ(rows[4].bits_per_value, 4.5);
  EXPECT_EQ(rows[6].name, "range of 4");
  EXPECT_EQ(rows[11].name, "equalised of 128");
  const std::string table = format_table(rows);
  EXPECT_NE(table.find("clipped of 128"), std::string::npos);
  RecordProperty("table", table);
}

}  // namespace
}  // namespace edgenpu::numerics
