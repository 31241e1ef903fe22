#include "report/numbers.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "report/table.h"

namespace edgenpu::report {
namespace {

TEST(Numbers, KeepThreeSignificantDigits) {
  EXPECT_EQ(significant(18.94), "18.9");
  EXPECT_EQ(significant(0.0012345), "0.00123");
  EXPECT_EQ(significant(9.996), "10.0");
  EXPECT_EQ(significant(4321.4), "4321");
  EXPECT_EQ(significant(-2.5), "-2.50");
  EXPECT_EQ(significant(0), "0");
}

TEST(Numbers, TakeThePrefixThatLeavesOneToThreeDigits) {
  EXPECT_EQ(with_prefix(0.0512, "s"), "51.2 ms");
  EXPECT_EQ(with_prefix(1, "s"), "1.00 s");
  EXPECT_EQ(with_prefix(999.6, "B"), "1.00 kB");
  EXPECT_EQ(with_prefix(0.0009996, "J"), "1.00 mJ");
  EXPECT_EQ(with_prefix(4751360000.0, "B"), "4.75 GB");
  EXPECT_EQ(with_prefix(1e-12, "J"), "1.00 pJ");
  EXPECT_EQ(with_prefix(1.5e-14, "J"), "15.0 fJ");
  EXPECT_EQ(with_prefix(0, "s"), "0 s");
}

TEST(Numbers, NeverShowASmallShareAsNothing) {
  EXPECT_EQ(percent(0.9063), "90.6 %");
  EXPECT_EQ(percent(0.0004), "< 0.1 %");
  EXPECT_EQ(percent(0), "0.0 %");
}

TEST(Numbers, DrawBarsInProportion) {
  EXPECT_EQ(bar(0.5, 10), "#####");
  EXPECT_EQ(bar(2, 3), "###");
  EXPECT_EQ(bar(0, 10), "");
}

TEST(TextTable, AlignsItsColumns) {
  TextTable t({{"name", TextTable::Align::left}, {"n"}});
  t.add({"a", "100"});
  t.add({"longer", "2"});
  EXPECT_EQ(t.text(), "  name      n\n  a       100\n  longer    2\n");
  EXPECT_THROW(t.add({"one cell"}), InternalError);
}

}  // namespace
}  // namespace edgenpu::report
