#include "base/quantity.h"

#include <gtest/gtest.h>
#include <type_traits>

#include "base/rates.h"

namespace edgenpu {
namespace {

template <class A, class B, class = void>
struct CanAdd : std::false_type {};
template <class A, class B>
struct CanAdd<A, B, std::void_t<decltype(std::declval<A>() + std::declval<B>())>> : std::true_type {};

TEST(Quantity, OfOneUnitCannotBeAddedToAnother) {
  static_assert(CanAdd<Bytes, Bytes>::value);
  static_assert(!CanAdd<Bytes, Cycles>::value);
  static_assert(!CanAdd<Femtoseconds, Seconds>::value);
  static_assert(!std::is_convertible_v<std::int64_t, Bytes>);
}

TEST(Rates, CyclesOfAClockWhosePeriodIsNoWholeFemtosecondDoNotDrift) {
  const Hertz ddr5(2'400'000'000);  // 416 666.67 fs
  EXPECT_EQ(time_of(Cycles(3), ddr5), Femtoseconds(1'250'000));
  EXPECT_EQ(time_of(Cycles(3'000'000'000), ddr5), Femtoseconds(1'250'000'000'000'000));
  EXPECT_EQ(time_of(Cycles(1), ddr5), Femtoseconds(416'667)) << "rounded up, never shorter than physics";
}

TEST(Rates, TheFirstCycleAtOrAfterAnInstantStartsNoEarlierAndTheOneBeforeDoes) {
  for (const std::int64_t hz : {800'000'000LL, 2'400'000'000LL, 299'999'999LL, 2'133'333'333LL}) {
    const Hertz clock(hz);
    for (const std::int64_t t : {1LL, 416'666LL, 416'667LL, 1'000'000LL, 123'456'789'012'345LL}) {
      const Cycles c = cycle_at_or_after(Femtoseconds(t), clock);
      EXPECT_GE(time_of(c, clock), Femtoseconds(t));
      EXPECT_LT(time_of(c - Cycles(1), clock), Femtoseconds(t));
    }
  }
}

TEST(Rates, BytesAtARateTakeNoLessThanTheirQuotient) {
  EXPECT_EQ(time_of(Bytes(32), BytesPerSecond(12.8e9)), Femtoseconds(2'500'000));
  EXPECT_EQ(time_of(Bytes(1), BytesPerSecond(3e15)), Femtoseconds(1));
}

TEST(Rates, CeilDivRoundsUp) {
  EXPECT_EQ(ceil_div(0, 4), 0);
  EXPECT_EQ(ceil_div(4, 4), 1);
  EXPECT_EQ(ceil_div(5, 4), 2);
}

}  // namespace
}  // namespace edgenpu
