// Amounts spread over windows of time.
#include "activity/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "activity/buckets.h"
#include "activity/counters.h"
#include "base/error.h"

namespace edgenpu::activity {
namespace {

using ::testing::ElementsAre;

constexpr Femtoseconds fs(std::int64_t n) {
  return Femtoseconds(n);
}

Timeline timeline(std::int64_t window, std::size_t most = 1000, bool fixed = true) {
  return Timeline({fs(window), fixed, most});
}

TEST(Timeline, PutsAnInstantIntoTheWindowThatItStarts) {
  Timeline t = timeline(10);
  const std::size_t s = t.declare("x");
  t.add(s, 5, fs(10), fs(10));
  EXPECT_THAT(t.finish(fs(20)).amounts[s], ElementsAre(0, 5));
}

TEST(Timeline, SpreadsAnAmountInProportionToTime) {
  Timeline t = timeline(10);
  const std::size_t s = t.declare("x");
  t.add(s, 100, fs(5), fs(25));
  EXPECT_THAT(t.finish(fs(30)).amounts[s], ElementsAre(25, 50, 25));
}

TEST(Timeline, LosesNothingToRounding) {
  Timeline t = timeline(7);
  const std::size_t s = t.declare("x");
  std::int64_t added = 0;
  for (std::int64_t i = 0; i < 500; ++i) {
    const std::int64_t start = i * 37 % 1000;
    t.add(s, i * i + 1, fs(start), fs(start + i % 97));
    added += i * i + 1;
  }
  const auto windows = t.finish(fs(900)).amounts[s];
  EXPECT_EQ(windows.size(), 129u);
  EXPECT_EQ(std::accumulate(windows.begin(), windows.end(), std::int64_t{0}), added);
}

TEST(Timeline, MergesTenWindowsIntoOneWhenThereAreTooMany) {
  Timeline t = timeline(1, 20, false);
  const std::size_t s = t.declare("x");
  for (std::int64_t i = 0; i < 45; ++i) t.add(s, 1, fs(i), fs(i));
  const Windows w = t.finish(fs(45));
  EXPECT_EQ(w.window, fs(10));
  EXPECT_THAT(w.amounts[s], ElementsAre(10, 10, 10, 10, 5));
}

TEST(Timeline, RefusesMoreWindowsThanItMayHaveIfTheirLengthIsFixed) {
  Timeline t = timeline(1, 20);
  const std::size_t s = t.declare("x");
  EXPECT_NO_THROW(t.add(s, 1, fs(19), fs(19)));
  EXPECT_THROW(t.add(s, 1, fs(20), fs(20)), InfeasibleError);
}

TEST(Timeline, BooksInTheLastWindowWhatCameAfterTheEnd) {
  Timeline t = timeline(10);
  const std::size_t s = t.declare("x");
  t.add(s, 3, fs(45), fs(45));
  EXPECT_THAT(t.finish(fs(20)).amounts[s], ElementsAre(0, 3));
}

TEST(Counters, SpreadOverTheRunWhatWasCountedWithoutATime) {
  Timeline t = timeline(10);
  Counters c(1, &t);
  const CounterId id = c.declare({"x", "things", "", true});
  c.add_over(OperatorId(0), id, 4, fs(0), fs(10));
  c.add(OperatorId(0), id, 6);
  EXPECT_THAT(*c.windows(fs(20)).find("x"), ElementsAre(7, 3));
}

TEST(Counters, RecordOnlyWhatIsBillable) {
  Timeline t = timeline(10);
  Counters c(1, &t);
  c.add_over(OperatorId(0), c.declare({"x", "things", "", false}), 4, fs(0), fs(10));
  EXPECT_EQ(c.windows(fs(20)).find("x"), nullptr);
}

TEST(BucketClock, RecordsTheTimeInEachBucket) {
  Timeline t = timeline(10);
  BucketClock clock;
  clock.record(t, "engine");
  clock.enter(Bucket::busy, fs(5));
  clock.enter(Bucket::wait_data, fs(25));
  clock.finish_recording(fs(30));
  const Windows w = t.finish(fs(30));
  EXPECT_THAT(*w.find("engine.idle"), ElementsAre(5, 0, 0));
  EXPECT_THAT(*w.find("engine.busy"), ElementsAre(5, 10, 5));
  EXPECT_THAT(*w.find("engine.wait_data"), ElementsAre(0, 0, 5));
}

}  // namespace
}  // namespace edgenpu::activity
