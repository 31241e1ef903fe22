#include "numerics/accuracy.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

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

TEST(Accuracy, OfWhatIsNotFiniteIsNoAgreement) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Accuracy a = compare_logits({nan, 1, 1, 2, 2, 1}, {1, 0, 1, 2, 2, 1}, 2);
  EXPECT_EQ(a.not_finite, 1);
  EXPECT_DOUBLE_EQ(a.top1, 2.0 / 3);
  EXPECT_EQ(a.rms, 0) << "over the two positions that can be compared";
  EXPECT_EQ(a.largest, 0);
  EXPECT_EQ(compare_logits({nan, nan}, {1, 0}, 2).top1, 0);
  EXPECT_EQ(first_not_finite({1, 2, std::numeric_limits<float>::infinity(), 3}, 2), 1);
  EXPECT_EQ(first_not_finite({1, 2}, 2), -1);
}

}  // namespace
}  // namespace edgenpu::numerics
