#include "base/mean_clocks.h"

#include <gtest/gtest.h>
#include <random>

namespace edgenpu {
namespace {

TEST(MeanClocks, OfATimeAreNotRounded) {
  const MeanClocks per_bank(Femtoseconds(488'281'250), Hertz(800'000'000));
  EXPECT_DOUBLE_EQ(per_bank.value(), 390.625);
  EXPECT_EQ(per_bank.whole(), Cycles(390));
  EXPECT_EQ(per_bank.of(1'000'000), Cycles(390'625'000));
  EXPECT_DOUBLE_EQ((per_bank / 2).value(), 195.3125);
  EXPECT_TRUE(MeanClocks().never());
}

TEST(MeanClocks, PassedIsTheInverseOfOfForAnyClockAndShare) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const MeanClocks mean(Femtoseconds(1'000'000 + static_cast<std::int64_t>(random() % 10'000'000'000)),
                          Hertz(1 + static_cast<std::int64_t>(random() % 5'000'000'000)));
    const auto of = static_cast<std::int64_t>(1 + random() % 4),
               n = static_cast<std::int64_t>(random() % 1'000'000);
    const Cycles at = mean.of(n, of);
    EXPECT_GE(mean.passed(at, of), n);
    EXPECT_LT(mean.passed(at - Cycles(1), of), n);
    EXPECT_NEAR(static_cast<double>(at.count()), mean.value() * double(n) / double(of), 1 + 1e-6);
  }
}

}  // namespace
}  // namespace edgenpu
