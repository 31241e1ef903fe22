#include "activity/ledger.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/rates.h"

namespace edgenpu::activity {
namespace {

constexpr OperatorId kFirst{0}, kSecond{1};

std::int64_t of(const LossLedger& l, OperatorId op, Loss loss) {
  return narrow(l.losses()[static_cast<std::size_t>(index(op))][static_cast<std::size_t>(loss)]);
}

std::int64_t sum(const LossLedger& l) {
  Wide total = 0;
  for (const LossTimes& op : l.losses()) total += sum_of(op);
  return narrow(total);
}

TEST(LossLedger, ChargesWhatAChannelDidToCauseAndOperator) {
  LossLedger l(1, 2);
  l.charge(0, Loss::row_miss, kFirst, Femtoseconds(10));
  l.charge(0, Loss::transfer, kSecond, Femtoseconds(25));
  l.finish(Femtoseconds(25));
  EXPECT_EQ(of(l, kFirst, Loss::row_miss), 10);
  EXPECT_EQ(of(l, kSecond, Loss::transfer), 15);
}

// 256 channels of an hour: 2^63 fs is what one of them may take.
TEST(LossLedger, SumsOverChannelsBeyondSixtyFourBits) {
  const Femtoseconds hour(3600 * kFemtosecondsPerSecond);
  LossLedger l(256, 1);
  for (int c = 0; c < 256; ++c) l.charge(c, Loss::transfer, kFirst, hour * 2 / 3);
  l.upstream(hour * 2 / 3, Loss::compute, kFirst);
  l.finish(hour);
  const LossTimes& losses = l.losses().front();
  EXPECT_EQ(sum_of(losses), static_cast<Wide>(hour.count()) * 256);
  EXPECT_EQ(losses[static_cast<std::size_t>(Loss::transfer)], static_cast<Wide>(hour.count()) * 256 * 2 / 3);
}

TEST(LossLedger, DividesIdleTimeAmongTheCausesThatHeldUpstream) {
  LossLedger l(1, 2);
  l.upstream(Femtoseconds(5), Loss::queueing, kFirst);
  l.upstream(Femtoseconds(12), Loss::compute, kSecond);
  l.idle_until(0, Femtoseconds(20));
  l.charge(0, Loss::transfer, kSecond, Femtoseconds(30));
  l.finish(Femtoseconds(30));
  EXPECT_EQ(of(l, kFirst, Loss::issue), 5) << "before anybody reported";
  EXPECT_EQ(of(l, kFirst, Loss::queueing), 7);
  EXPECT_EQ(of(l, kSecond, Loss::compute), 8);
  EXPECT_EQ(of(l, kSecond, Loss::transfer), 10);
}

TEST(LossLedger, WhatTheBusDoesForOneProgramIsContentionToAnotherThatWaits) {
  LossLedger l(1, std::vector<int>{1, 1});
  l.upstream(Femtoseconds(0), Loss::compute, kSecond);
  l.arrives(0, kFirst, Femtoseconds(0));
  l.charge(0, Loss::transfer, kFirst, Femtoseconds(10));  // the second waits for nothing yet
  l.arrives(0, kSecond, Femtoseconds(10));
  l.charge(0, Loss::transfer, kFirst, Femtoseconds(30));
  l.leaves(0, kFirst);
  l.charge(0, Loss::row_miss, kSecond, Femtoseconds(34));
  l.charge(0, Loss::transfer, kSecond, Femtoseconds(50));
  l.leaves(0, kSecond);
  l.finish({Femtoseconds(30), Femtoseconds(60)});
  EXPECT_EQ(of(l, kFirst, Loss::transfer), 30);
  EXPECT_EQ(of(l, kSecond, Loss::contention), 20);
  EXPECT_EQ(of(l, kSecond, Loss::row_miss), 4);
  EXPECT_EQ(of(l, kSecond, Loss::transfer), 16);
  EXPECT_EQ(of(l, kSecond, Loss::compute), 10 + 10) << "before its first request and behind its last";
  EXPECT_EQ(sum(l), 30 + 60);
}

TEST(LossLedger, SumsToTimeTimesChannelsWhateverHappens) {
  std::uint64_t state = 7;
  const auto random = [&state](std::uint64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((state >> 33) % n);
  };
  LossLedger l(3, 4);
  std::int64_t now = 0;
  for (int step = 0; step < 2000; ++step) {
    now += random(50);
    const int channel = static_cast<int>(random(3));
    const auto op = static_cast<OperatorId>(random(4));
    switch (random(3)) {
      case 0:
        l.upstream(Femtoseconds(now), static_cast<Loss>(random(kLosses)), op);
        break;
      case 1:
        l.idle_until(channel, Femtoseconds(now));
        break;
      default:
        l.charge(channel, static_cast<Loss>(random(kLosses)), op, Femtoseconds(now));
        break;
    }
  }
  l.finish(Femtoseconds(now + 100));
  EXPECT_EQ(sum(l), 3 * (now + 100));
}

TEST(LossLedger, ChargesTheEndToTheTail) {
  LossLedger l(2, 1);
  l.charge(0, Loss::transfer, kFirst, Femtoseconds(10));
  l.charge(1, Loss::transfer, kFirst, Femtoseconds(8));
  l.upstream(Femtoseconds(10), Loss::tail, kFirst);
  l.finish(Femtoseconds(15));
  EXPECT_EQ(of(l, kFirst, Loss::tail), 10);
  EXPECT_EQ(of(l, kFirst, Loss::issue), 2) << "channel 1 between 8 and 10";
}

TEST(LossLedger, TakesBackWhatOthersAreServedBeyondTheEnd) {
  LossLedger l(1, 2);
  l.allow_overhang();
  l.charge(0, Loss::transfer, kFirst, Femtoseconds(20));
  l.charge(0, Loss::row_miss, kSecond, Femtoseconds(26));
  l.charge(0, Loss::transfer, kSecond, Femtoseconds(30));
  l.finish(Femtoseconds(22));
  EXPECT_EQ(of(l, kFirst, Loss::transfer), 20);
  EXPECT_EQ(of(l, kSecond, Loss::row_miss), 2);
  EXPECT_EQ(of(l, kSecond, Loss::transfer), 0);
  EXPECT_EQ(sum(l), 22);
}

TEST(LossLedger, RefusesAChargeBeyondTheEnd) {
  LossLedger l(1, 1);
  l.charge(0, Loss::transfer, kFirst, Femtoseconds(20));
  EXPECT_THROW(l.finish(Femtoseconds(19)), InternalError);
}

}  // namespace
}  // namespace edgenpu::activity
