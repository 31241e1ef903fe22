#include "activity/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rates.h"

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

Snapshot of_channels(int channels, std::int64_t seconds_each) {
  Snapshot s;
  s.channels = channels;
  s.losses.resize(3);
  const Wide each = static_cast<Wide>(seconds_each) * kFemtosecondsPerSecond * channels / 3;
  for (LossTimes& op : s.losses) op[static_cast<std::size_t>(Loss::transfer)] = each;
  s.losses[1][static_cast<std::size_t>(Loss::compute)] = 1;
  return s;
}

TEST(SettledTime, IsWhatTheLedgerAddsUpToOnAnyNumberOfChannels) {
  for (const int channels : {1, 4, 64, 256}) {
    Snapshot s = of_channels(channels, 9000);
    settle_time(s);
    EXPECT_EQ(s.time.count(), 9000 * kFemtosecondsPerSecond + 1);
    EXPECT_EQ(sum_of(s.total_losses()), static_cast<Wide>(s.time.count()) * channels);
    EXPECT_GE(s.losses.back()[static_cast<std::size_t>(Loss::tail)], 0);
  }
}

TEST(SettledTime, BeyondTheEndOfFemtosecondsIsRefusedWithItsLength) {
  for (const int channels : {1, 256}) {
    Snapshot s = of_channels(channels, 19'505);
    try {
      settle_time(s);
      FAIL() << s.time.count();
    } catch (const InfeasibleError& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("takes 19505 s"));
      EXPECT_THAT(e.what(), ::testing::HasSubstr("9223 s"));
    }
  }
}

}  // namespace
}  // namespace edgenpu::activity
