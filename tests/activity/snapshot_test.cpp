#include "activity/snapshot.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace edgenpu::activity {
namespace {

Snapshot sample() {
  Counters counters(2);
  const CounterId macs = counters.declare({"macs", "MACs", "products", false});
  counters.add(OperatorId(1), macs, 42);
  Snapshot s;
  s.time = Femtoseconds(1000);
  s.channels = 8;
  s.counters = counters.infos();
  s.values = counters.values();
  s.losses.resize(2);
  s.losses[1][static_cast<std::size_t>(Loss::compute)] = -3;
  s.losses[1][static_cast<std::size_t>(Loss::tail)] = static_cast<Wide>(INT64_MAX) * 1000;
  s.engines.push_back(
      {"matrix", {Femtoseconds(1), Femtoseconds(2), Femtoseconds(3), Femtoseconds(4), Femtoseconds(5)}});
  s.engines[0].by_operator = {{}, s.engines[0].times};
  s.events = 9;
  s.notes = {"a note"};
  return s;
}

TEST(Snapshot, ComesThroughAPipeUnchanged) {
  const Snapshot s = sample();
  const Snapshot copy = from_bytes(to_bytes(s));
  EXPECT_EQ(to_bytes(copy), to_bytes(s));
  EXPECT_EQ(copy.total("macs"), 42);
  EXPECT_EQ(copy.of("macs", OperatorId(0)), 0);
  EXPECT_EQ(copy.losses[1][static_cast<std::size_t>(Loss::compute)], -3);
  EXPECT_EQ(copy.losses[1][static_cast<std::size_t>(Loss::tail)], static_cast<Wide>(INT64_MAX) * 1000);
  EXPECT_EQ(copy.engines[0].times[4], Femtoseconds(5));
  EXPECT_EQ(copy.engines[0].by_operator, s.engines[0].by_operator);
  EXPECT_EQ(copy.notes, s.notes);
}

TEST(Snapshot, HasNoTotalOfACounterThatNobodyDeclared) {
  const Snapshot s = sample();
  EXPECT_THROW(s.total("mcas"), InternalError);
  EXPECT_THROW(s.of("mcas", OperatorId(0)), InternalError);
  EXPECT_EQ(s.total_if_declared("mcas"), std::nullopt);
  EXPECT_EQ(s.total_if_declared("macs"), 42);
}

TEST(Snapshot, OfATruncatedBufferIsRefused) {
  const std::string bytes = to_bytes(sample());
  for (const std::size_t n : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_THROW(from_bytes(bytes.substr(0, n)), InternalError) << n;
}

TEST(Counters, DeclaredTwiceAreOneIfTheyAgreeAndAnErrorIfNot) {
  Counters c(1);
  const CounterId a = c.declare({"x", "bytes", "d", true});
  EXPECT_EQ(c.declare({"x", "bytes", "d", true}), a);
  EXPECT_THROW(c.declare({"x", "commands", "d", true}), InternalError);
}

TEST(BucketClock, GivesEachInstantToOneBucket) {
  BucketClock clock;
  clock.enter(Bucket::busy, Femtoseconds(10));
  clock.enter(Bucket::wait_data, Femtoseconds(30));
  const BucketTimes t = clock.finish(Femtoseconds(100));
  EXPECT_EQ(t[static_cast<std::size_t>(Bucket::idle)], Femtoseconds(10));
  EXPECT_EQ(t[static_cast<std::size_t>(Bucket::busy)], Femtoseconds(20));
  EXPECT_EQ(t[static_cast<std::size_t>(Bucket::wait_data)], Femtoseconds(70));
  EXPECT_THROW(clock.enter(Bucket::idle, Femtoseconds(29)), InternalError);
}

TEST(BucketClock, TellsOperatorsApart) {
  BucketClock clock(2);
  clock.enter(Bucket::busy, Femtoseconds(5));
  clock.at_operator(OperatorId(1), Femtoseconds(10));
  clock.enter(Bucket::idle, Femtoseconds(30));
  const auto by_operator = clock.by_operator(Femtoseconds(100));
  EXPECT_EQ(by_operator[0][static_cast<std::size_t>(Bucket::idle)], Femtoseconds(5));
  EXPECT_EQ(by_operator[0][static_cast<std::size_t>(Bucket::busy)], Femtoseconds(5));
  EXPECT_EQ(by_operator[1][static_cast<std::size_t>(Bucket::busy)], Femtoseconds(20));
  EXPECT_EQ(by_operator[1][static_cast<std::size_t>(Bucket::idle)], Femtoseconds(70));
}

}  // namespace
}  // namespace edgenpu::activity
