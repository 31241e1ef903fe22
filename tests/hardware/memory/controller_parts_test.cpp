// Parts of a channel's controller alone: page policy, scheduler, refresher, sleep, the rows of a run.
#include <gtest/gtest.h>

#include "hardware/memory/fr_fcfs.h"
#include "hardware/memory/memory_fixture.h"
#include "hardware/memory/page_policy.h"
#include "hardware/memory/refresher.h"
#include "hardware/memory/run_rows.h"
#include "hardware/memory/sleep.h"

namespace edgenpu::hardware {
namespace {

using timing::Command;

TEST(PagePolicy, OpenClosesNothingClosedAtTheLastUseAndTimeoutThatMuchLater) {
  DramState::Bank bank;
  bank.opened_at = 100;
  EXPECT_EQ(make_page_policy(load_memory("lpddr5-6400")), nullptr);
  const auto closed = make_page_policy(load_memory("lpddr5-6400", {"controller.page_policy=closed"}));
  const auto timeout = make_page_policy(
      load_memory("lpddr5-6400", {"controller.page_policy=timeout", "controller.page_timeout=70 CK"}));
  EXPECT_EQ(closed->close_from(0, bank), 100);
  EXPECT_EQ(timeout->close_from(0, bank), 170);
  bank.last_column = 130;
  EXPECT_EQ(closed->close_from(0, bank), 130);
  EXPECT_EQ(timeout->close_from(0, bank), 200);
}

struct Scheduled {
  Scheduled() {
    for (const int bank : {0, 4}) {
      timing::DramAddress a;
      a.group = bank / memory.banks_per_group;
      a.row = 1;
      ChannelRequest r;
      r.burst = map.encode(a);
      ports.accept(0, r);
    }
    window.fill(0);
  }
  void open(int bank, std::int64_t cycle) {
    state.issue(Command::act1, bank, cycle, 1);
    state.issue(Command::act2, bank, cycle + 1);
    window.find_hits(bank);
  }
  Candidate column(std::int64_t free) const {
    Candidate column, row;
    FrFcfs(memory, state, window).columns({0, window.hits(0), free}, column, row);
    return column;
  }

  config::Memory memory = load_memory("lpddr5-6400", {"refresh=none"});
  timing::AddressMap map{memory};
  DramState state{memory};
  RequestPorts ports{1, 8};
  RequestWindow window{memory, map, state, ports};
};

TEST(FrFcfs, TakesTheOlderOfTwoHitsThatAreReadyAndTheReadyOneOfOthers) {
  Scheduled s;
  s.open(4, 100);
  s.open(0, 110);
  const std::int64_t younger_ready = s.state.earliest(Command::rd, 4);
  const std::int64_t older_ready = s.state.earliest(Command::rd, 0);
  ASSERT_LT(younger_ready, older_ready);
  EXPECT_EQ(s.column(younger_ready).bank, 4);
  EXPECT_EQ(s.column(older_ready).bank, 0);
}

TEST(FrFcfs, OpensTheRowOfTheOldestRequestFirstAndClosesNoneThatIsWanted) {
  Scheduled s;
  Candidate row;
  const FrFcfs scheduler(s.memory, s.state, s.window);
  scheduler.rows({0, s.window.waiting(0), 10}, Priority::request, kNever, row);
  EXPECT_EQ(row.command, Command::act1);
  EXPECT_EQ(row.bank, 0);
  EXPECT_EQ(row.cycle, 10);
}

struct Refreshing {
  explicit Refreshing(const std::vector<std::string>& set) : memory(load_memory("lpddr5-6400", set)) {}
  Candidate propose(std::uint64_t wanted) { return refresher.propose(wanted, refresher.next_due()); }

  config::Memory memory;
  DramState state{memory};
  Refresher refresher{memory, state};
};

TEST(Refresher, FallsDueEachIntervalAndIsOwedUntilItIsDone) {
  Refreshing r({"refresh=ab"});
  EXPECT_EQ(r.refresher.next_due(), 3125) << "3.90625 us at 800 MHz";
  r.refresher.fall_due(3124);
  EXPECT_EQ(r.refresher.owed(), 0);
  r.refresher.fall_due(3125);
  EXPECT_EQ(r.refresher.owed(), 1);
  EXPECT_EQ(r.refresher.next_due(), 6250);
  EXPECT_EQ(r.propose(~0ull).command, Command::ref_all);
  EXPECT_EQ(r.refresher.blocked(), 0xffffu);
  r.refresher.done(Command::ref_all, 0, ~0ull);
  EXPECT_EQ(r.refresher.owed(), 0);
  EXPECT_EQ(r.refresher.blocked(), 0u);
}

TEST(Refresher, ClosesTheRankBeforeAnAllBankRefresh) {
  Refreshing r({"refresh=ab"});
  r.state.issue(Command::act1, 7, 3000, 1);
  r.refresher.fall_due(3125);
  EXPECT_EQ(r.propose(0).cycle, kNever) << "ACT-2 is to come";
  r.state.issue(Command::act2, 7, 3001);
  EXPECT_EQ(r.propose(0).command, Command::pre_all);
}

TEST(Refresher, IsPutOffWhileTheRankIsWantedAndNoFurtherThanPostpone) {
  Refreshing r({"refresh=ab", "controller.postpone=2"});
  for (int n = 1; n <= 2; ++n) {
    r.refresher.fall_due(r.refresher.next_due());
    EXPECT_EQ(r.propose(1).cycle, kNever) << n;
  }
  EXPECT_EQ(r.propose(0).command, Command::ref_all) << "nothing wants the rank";
  r.refresher.done(Command::ref_all, 0, 1);
  EXPECT_EQ(r.refresher.blocked(), 0u) << "one is still owed, and put off again";
  for (int n = 0; n < 2; ++n) r.refresher.fall_due(r.refresher.next_due());
  EXPECT_EQ(r.propose(1).command, Command::ref_all) << "three are owed";
}

TEST(Refresher, TakesEachBankOnceARoundAndThoseThatNothingWantsFirst) {
  Refreshing r({"refresh=pb"});
  const std::uint64_t wanted = 0x00ff;
  std::vector<int> banks;
  for (int n = 0; n < 16; ++n) {
    r.refresher.fall_due(r.refresher.next_due());
    const Candidate c = r.propose(wanted);
    ASSERT_EQ(c.command, Command::ref_bank);
    EXPECT_EQ(r.refresher.blocked(), std::uint64_t{1} << c.bank);
    banks.push_back(c.bank);
    r.refresher.done(c.command, c.bank, wanted);
  }
  EXPECT_EQ(banks, (std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Refresher, SkippingWholeRoundsLeavesTheScheduleThatDoingThemWould) {
  Refreshing done({"refresh=pb"}), skipped({"refresh=pb"});
  for (int n = 0; n < 32; ++n) {
    done.refresher.fall_due(done.refresher.next_due());
    done.refresher.done(Command::ref_bank, done.propose(0).bank, 0);
  }
  const std::int64_t last = done.refresher.next_due() - 1;
  EXPECT_EQ(skipped.refresher.in_whole_rounds(last), 32);
  EXPECT_EQ(skipped.refresher.due_between(0, last), 32);
  skipped.refresher.skip_until(last);
  EXPECT_EQ(skipped.refresher.next_due(), done.refresher.next_due());
  EXPECT_EQ(skipped.refresher.choose_bank(0, 0, true), done.refresher.choose_bank(0, 0, true));
}

TEST(Sleep, GoesFromPowerDownToSelfRefreshAndWakesWithTheExitOfTheDeeper) {
  const config::Memory m = load_memory(
      "lpddr5-6400", {"controller.power_down_after=20 CK", "controller.self_refresh_after=500 CK"});
  Sleep sleep(m);
  sleep.work_ends(1000);
  EXPECT_EQ(sleep.begins(), 1020);
  EXPECT_EQ(sleep.self_refresh_begins(), 1500);
  EXPECT_EQ(sleep.times_until(1019).power_down, 0);
  const Sleep::Woken early = sleep.wake(1100);
  EXPECT_FALSE(early.refreshed);
  EXPECT_EQ(early.exit, m.t.tXP.count());
  sleep.work_ends(2000);
  const Sleep::Woken late = sleep.wake(2600);
  EXPECT_TRUE(late.refreshed);
  EXPECT_EQ(late.exit, m.t.tXSR.count());
  EXPECT_EQ(sleep.times().power_down, 80 + 480);
  EXPECT_EQ(sleep.times().self_refresh, 100);
}

TEST(Sleep, NeverComesWhereNoTimeIsGiven) {
  Sleep sleep(load_memory("lpddr5-6400"));
  EXPECT_EQ(sleep.begins(), kNever);
  EXPECT_EQ(sleep.wake(1 << 30).exit, 0);
}

TEST(RunRows, AreTheBanksThatNeighbouringBurstsComeToInTheirOrder) {
  const config::Memory m = load_memory("lpddr5-6400");
  const timing::AddressMap map(m);
  const RunRows rows(map);
  ASSERT_TRUE(rows.few());
  for (const std::int64_t begin : {0, 2, 6, 250}) {
    const std::int64_t end = rows.chunk_end(begin);
    std::vector<RowOpening> found;
    std::vector<int> expected;
    for (std::int64_t b = begin; b < end; ++b)
      if (std::find(expected.begin(), expected.end(), map.flat_bank(b)) == expected.end())
        expected.push_back(map.flat_bank(b));
    const std::uint64_t banks = rows.gather(begin, end, found);
    ASSERT_EQ(found.size(), expected.size()) << begin;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].bank, expected[i]) << begin;
      EXPECT_EQ(found[i].row, map.row(begin));
      EXPECT_TRUE(banks >> expected[i] & 1);
    }
    EXPECT_EQ(map.row(end - 1), map.row(begin));
  }
}

}  // namespace
}  // namespace edgenpu::hardware
