#include "numerics/accuracy.h"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.h"

namespace edgenpu::numerics {
namespace {

TEST(Accuracy, OfEqualLogitsIsPerfect) {
  const std::vector<float> x = {1, 2, 3, -1, 0, 5};
  const Accuracy a = compare_logits(x, x, 3);
  EXPECT_EQ(a.positions, 2);
  EXPECT_EQ(a.top1, 1);
  EXPECT_EQ(a.rms, 0);
  EXPECT_EQ(a.kl, 0);
}

TEST(Accuracy, MeasuresKlInNatsFromTheReference) {
  // Probabilities 1/2, 1/2 in the reference; 1/4, 3/4 found: ln(2)/2 + ln(2/3)/2.
  const Accuracy a = compare_logits({0, std::log(3.0f)}, {0, 0}, 2);
  EXPECT_NEAR(a.kl, 0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3.0), 1e-7);
  EXPECT_EQ(a.kl, a.worst_kl);
}

TEST(Accuracy, IgnoresAShiftOfAllLogitsInKlButNotInRms) {
  const Accuracy a = compare_logits({11, 12, 13}, {1, 2, 3}, 3);
  EXPECT_NEAR(a.kl, 0, 1e-7);
  EXPECT_DOUBLE_EQ(a.rms, 10);
  EXPECT_DOUBLE_EQ(a.largest, 10);
  EXPECT_EQ(a.top1, 1);
}

TEST(Accuracy, CountsPositionsWithAnotherFirstChoice) {
  EXPECT_DOUBLE_EQ(compare_logits({2, 1, 1, 2}, {1, 2, 1, 2}, 2).top1, 0.5);
}

TEST(Accuracy, RefusesSizesThatDoNotMatch) {
  EXPECT_THROW(compare_logits({1, 2}, {1}, 1), InternalError);
  EXPECT_THROW(compare_logits({1, 2, 3}, {1, 2, 3}, 2), InternalError);
}

}  // namespace
}  // namespace edgenpu::numerics
