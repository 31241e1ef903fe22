#include "activity/settle.h"

#include <gtest/gtest.h>

namespace edgenpu::activity {
namespace {

EngineTimes engine(std::vector<BucketTimes> by_operator) {
  EngineTimes e;
  e.name = "core0";
  e.by_operator = std::move(by_operator);
  return e;
}

std::int64_t of(const EngineTimes& e, Bucket b) {
  return e.times[static_cast<std::size_t>(b)].count();
}

using Fs = Femtoseconds;

TEST(SettledTimes, KeepTheirProportionsAndSumToTheTimeWhetherTooLongOrTooShort) {
  for (const std::int64_t time : {100, 1000, 7'777'777}) {
    EngineTimes e = engine({{Fs(10), Fs(200), Fs(0), Fs(90), Fs(0)}, {Fs(90), Fs(10), Fs(0), Fs(0), Fs(0)}});
    settle(e, Fs(time));
    std::int64_t sum = 0;
    for (const Fs t : e.times) {
      EXPECT_GE(t.count(), 0);
      sum += t.count();
    }
    EXPECT_EQ(sum, time);
    EXPECT_NEAR(static_cast<double>(of(e, Bucket::busy)), 0.25 * static_cast<double>(time), 1);
    EXPECT_NEAR(static_cast<double>(of(e, Bucket::wait_dependency)), 0.225 * static_cast<double>(time), 1);
    EXPECT_EQ(of(e, Bucket::idle), 0);
  }
}

TEST(SettledTimes, OfAnEngineThatNeverRanAreIdle) {
  EngineTimes e = engine({{}, {}});
  settle(e, Fs(42));
  EXPECT_EQ(of(e, Bucket::idle), 42);
}

}  // namespace
}  // namespace edgenpu::activity
