// Which numbers are uncertain, and what else they may be.
#include "config/uncertain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgenpu::config {
namespace {

std::vector<Uncertain> of(const std::string& text) {
  return uncertain_numbers(parse_text(text, "x.yaml"));
}

TEST(UncertainNumbers, AreThoseWithARangeOrAnAssumedSource) {
  const auto u =
      of("a: {value: 2 pJ, low: 1 pJ, high: 4 pJ, source: \"derived: x\"}\n"
         "b: 12 cycles\nc: 5 mm\nd: 7\nname: text\n"
         "source: {b: \"assumed: x\", c: \"a data sheet\", d: \"calibrated: x\", name: \"assumed: x\"}\n");
  std::vector<std::string> paths;
  for (const Uncertain& n : u) paths.push_back(n.paths.front());
  EXPECT_THAT(paths, ::testing::ElementsAre("a", "b", "d"));
}

TEST(UncertainNumbers, OfAnAnchorAreOneNumber) {
  const auto u = of("r: &p {value: 2 pJ, low: 1 pJ, high: 4 pJ, source: \"assumed: x\"}\nw: *p\n");
  ASSERT_EQ(u.size(), 1u);
  EXPECT_THAT(u[0].paths, ::testing::ElementsAre("r", "w"));
  Value tree = parse_text("r: &p {value: 2 pJ, low: 1 pJ, high: 4 pJ}\nw: *p\n", "x.yaml");
  put(tree, u[0], "3 pJ");
  EXPECT_EQ(find_path(tree, "r.value")->text(), "3 pJ");
  EXPECT_EQ(find_path(tree, "w.value")->text(), "3 pJ");
}

TEST(UncertainNumbers, HaveHalfTheirProbabilityOnEachSideOfTheValue) {
  const Uncertain u = of("a: {value: 2 pJ, low: 1 pJ, high: 8 pJ, source: \"assumed: x\"}\n")[0];
  EXPECT_EQ(u.at(0), "1 pJ");
  EXPECT_EQ(u.at(0.5), "2 pJ");
  EXPECT_EQ(u.at(0.75), "4 pJ");  // half way in the logarithm
  EXPECT_EQ(u.at(1), "8 pJ");
}

TEST(UncertainNumbers, WithALowOfZeroAreSpreadEvenly) {
  const Uncertain u = of("a: {value: 0 nJ, low: 0 nJ, high: 1.2 nJ, source: \"derived: x\"}\n")[0];
  EXPECT_EQ(u.at(0.25), "0 nJ");
  EXPECT_EQ(u.at(0.75), "0.6 nJ");
}

TEST(UncertainNumbers, WithoutARangeGetAFactorAndStayWhole) {
  const Uncertain u = of("a: 12 cycles\nsource: \"assumed: x\"\n")[0];
  EXPECT_EQ(u.at(0), "8 cycles");
  EXPECT_EQ(u.at(1), "18 cycles");
  EXPECT_EQ(u.at(0.6), "13 cycles");
  EXPECT_EQ(of("a: 2 us\nsource: \"assumed: x\"\n")[0].at(1), "3 us");
}

TEST(UncertainNumbers, ThatArePowersOfTwoStayPowersOfTwo) {
  const Uncertain u = of("a: 2 MiB\nsource: \"assumed: x\"\n")[0];
  EXPECT_EQ(u.at(0.1), "1048576 B");
  EXPECT_EQ(u.at(0.5), "2097152 B");
  EXPECT_EQ(u.at(0.9), "4194304 B");
  EXPECT_EQ(of("a: 64\nsource: \"assumed: x\"\n")[0].at(0.9), "128");
}

}  // namespace
}  // namespace edgenpu::config
