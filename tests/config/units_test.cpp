#include "config/units.h"

#include <gtest/gtest.h>

namespace edgenpu::config {
namespace {

double value_of(const std::string& text, const Unit& unit) {
  std::string why;
  const auto m = parse_measure(text, why);
  EXPECT_TRUE(m.has_value()) << text << ": " << why;
  if (!m) return 0;
  EXPECT_TRUE(m->dimension == unit.dimension) << text;
  return m->value;
}

TEST(Units, ReadBinaryAndDecimalSizes) {
  EXPECT_EQ(value_of("512 KiB", unit::data), 524'288);
  EXPECT_EQ(value_of("16 GiB", unit::data), 17'179'869'184.0);
  EXPECT_EQ(value_of("1 kB", unit::data), 1000);
  EXPECT_EQ(value_of("8 bit", unit::data), 1);
}

TEST(Units, ReadQuotientsOfSeveralUnits) {
  EXPECT_DOUBLE_EQ(value_of("102.4 GB/s", unit::bandwidth), 102.4e9);
  EXPECT_DOUBLE_EQ(value_of("6 pJ/bit", unit::energy_per_data), 48e-12);
  EXPECT_DOUBLE_EQ(value_of("37 mW/GB", unit::power_per_data), 37e-12);
  EXPECT_DOUBLE_EQ(value_of("0.08 pJ/bit/mm", unit::energy_per_data_length), 0.64e-9);
  EXPECT_DOUBLE_EQ(value_of("0.15 pJ/MAC", unit::energy), 0.15e-12);
}

TEST(Units, RefuseWhatIsNoNumberOrNoUnit) {
  std::string why;
  for (const char* text : {"", "GiB", "nan s", "inf B", "3 parsecs", "3 GB/", "3 GB//s"})
    EXPECT_FALSE(parse_measure(text, why).has_value()) << text;
}

}  // namespace
}  // namespace edgenpu::config
