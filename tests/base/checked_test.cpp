#include "base/checked.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/quantity.h"
#include "base/rates.h"

namespace edgenpu {
namespace {

constexpr std::int64_t kMost = INT64_MAX;

TEST(CheckedIntegers, GiveTheResultOrRefuse) {
  EXPECT_EQ(checked_add<std::int64_t>(kMost - 1, 1), kMost);
  EXPECT_THROW(checked_add<std::int64_t>(kMost, 1), OverflowError);
  EXPECT_THROW(checked_sub<std::int64_t>(-kMost, 2), OverflowError);
  EXPECT_THROW(checked_mul<std::int64_t>(kMost / 2, 3), OverflowError);
  EXPECT_EQ(narrow(static_cast<Wide>(kMost)), kMost);
  EXPECT_THROW(narrow(static_cast<Wide>(kMost) + 1), OverflowError);
}

TEST(CheckedIntegers, OfDoublesEndWhereSixtyFourBitsEnd) {
  EXPECT_EQ(truncated(-2.9), -2);
  EXPECT_EQ(truncated(9.2e18), 9'200'000'000'000'000'000);
  EXPECT_THROW(truncated(9.3e18), OverflowError);
  EXPECT_THROW(truncated(INFINITY), OverflowError);
  EXPECT_THROW(truncated(NAN), OverflowError);
}

TEST(CheckedIntegers, ThatDoNotFitAreAnInfeasibleStepAndNoFaultOfOurs) {
  try {
    static_cast<void>(Femtoseconds(kMost) + Femtoseconds(1));
    FAIL();
  } catch (const InfeasibleError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("a time in femtoseconds"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("9223 s"));
  }
}

TEST(Quantity, NeverWraps) {
  Bytes sum(kMost);
  EXPECT_THROW(sum += Bytes(1), OverflowError);
  EXPECT_EQ(sum, Bytes(kMost)) << "a refused sum leaves the value";
  EXPECT_THROW(sum -= Bytes(-1), OverflowError);
  EXPECT_THROW(sum * 2, OverflowError);
  EXPECT_THROW(2 * sum, OverflowError);
  EXPECT_THROW(-Cycles(INT64_MIN), OverflowError);
  EXPECT_EQ(Seconds(1e300) * 2, Seconds(2e300));
}

TEST(Rates, RefuseATimeBeyondSixtyFourBits) {
  EXPECT_EQ(time_of(Cycles(9'000), Hertz(1)), Femtoseconds(9'000'000'000'000'000'000));
  EXPECT_THROW(time_of(Cycles(10'000), Hertz(1)), OverflowError);
  EXPECT_THROW(time_of(Bytes(10'000), BytesPerSecond(1)), OverflowError);
  EXPECT_THROW(cycle_at_or_after(Femtoseconds(kMost), Hertz(2'000'000'000'000'000)), OverflowError);
}

}  // namespace
}  // namespace edgenpu
