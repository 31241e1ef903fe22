// Refresh of a channel: when one falls due, which bank it takes, and how far it may be put off.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "hardware/memory/channel.h"

namespace edgenpu::hardware {

namespace {
// Far more than any bank is kept from a waiting request by postponed refreshes of all ranks.
constexpr std::int64_t kMostRefreshes = 100'000;
// Rounds that are left to be done one by one when a time of refreshes alone is counted. Counts and times are the same
// for any number of them; when each refresh was is not, so that where windows of time are recorded only those are
// counted at once that are many in a row.
constexpr std::int64_t kRoundsLeft = 4, kManyRefreshes = 10'000;
}  // namespace

// A memory whose refreshes leave no time for data is refused when it is read (config/memory_timings.cpp).
void Channel::watch_starvation() {
  if (pending_ > 0 && ++refreshes_without_data_ > kMostRefreshes)
    throw InternalError("the memory does nothing but refresh: " + describe());
}

// An idle channel with all rows closed does nothing but refresh. Whole rounds of it are counted: the banks to be
// refreshed are the same after every round, and the last rounds leave the state that all of them would.
bool Channel::skip_idle_refreshes(std::int64_t limit) {
  if (pending_ > 0 || open_ || activating_ || blocked_ || owed_ > 0 || listener_) return false;
  const bool bank = memory_.refresh == config::RefreshMode::pb;
  const std::int64_t of_round = bank ? state_.banks_per_rank() : 1;
  const std::int64_t self = memory_.controller.self_refresh_after.count();
  const std::int64_t end = self > 0 ? std::min(limit, idle_since_ + self) : limit;
  std::int64_t n = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < state_.ranks(); ++i)
    n = std::min(n, schedule_.until(i, end) - refresh_[static_cast<std::size_t>(i)].next);
  n = (n / of_round - kRoundsLeft) * of_round;
  if (n < (meter_.recording() ? kManyRefreshes : of_round)) return false;
  const activity::CounterId id = bank ? meter_.ids().refresh_pb : meter_.ids().refresh_ab;
  for (int i = 0; i < state_.ranks(); ++i) {
    const RankRefresh& r = refresh_[static_cast<std::size_t>(i)];
    const std::int64_t from = r.due;
    expect_refresh(i, r.next + n);
    meter_.count(id, meter_.serving(), n);
    meter_.when(id, n, from, r.due);
    commands_ += n;
  }
  chosen_valid_ = false;
  update_next_due();
  return true;
}

void Channel::update_next_due() {
  next_due_ = kNever;
  for (const RankRefresh& r : refresh_) next_due_ = std::min(next_due_, r.due);
}

void Channel::expect_refresh(int rank, std::int64_t number) {
  RankRefresh& r = refresh_[static_cast<std::size_t>(rank)];
  r.next = number;
  r.due = schedule_.due(rank, number);
}

void Channel::refresh_falls_due(std::int64_t cycle) {
  for (int i = 0; i < state_.ranks(); ++i) {
    RankRefresh& r = refresh_[static_cast<std::size_t>(i)];
    if (r.due > cycle) continue;
    ++r.owed;
    ++owed_;
    expect_refresh(i, r.next + 1);
  }
  floor_ = std::max(floor_, cycle);
  update_next_due();
  chosen_valid_ = false;
}

// The bank of the round to refresh next: an idle one if there is one; else the first, if it cannot wait.
int Channel::choose_refresh_bank(int rank, std::uint64_t avoid, bool forced) const {
  const RankRefresh& r = refresh_[static_cast<std::size_t>(rank)];
  const int first = rank * state_.banks_per_rank();
  const std::uint64_t round = r.round << first;
  const std::uint64_t idle = round & ~avoid;
  if (idle) return __builtin_ctzll(idle);
  return forced ? __builtin_ctzll(round) : kNone;
}

void Channel::consider_refresh(Candidate& row) {
  for (int i = 0; i < state_.ranks(); ++i) {
    RankRefresh& r = refresh_[static_cast<std::size_t>(i)];
    if (r.owed == 0) continue;
    const int first = i * state_.banks_per_rank();
    const std::uint64_t mine = rank_banks(i);
    const std::uint64_t wanted = window_.waiting();
    Candidate c{0, -1, first, 0, Command::ref_all, false};
    if (memory_.refresh == config::RefreshMode::ab) {
      if (!r.active) {
        if ((wanted & mine) && r.owed <= memory_.controller.postpone) continue;
        r.active = true;
        blocked_ |= mine;
      }
      if (activating_ & mine) continue;  // ACT-2 first
      if (open_ & mine) c.command = Command::pre_all;
      c.cycle = state_.earliest_rank(c.command, i);
    } else {
      if (r.target == kNone) {
        r.target = choose_refresh_bank(i, wanted, r.owed > memory_.controller.postpone);
        if (r.target == kNone) continue;
        blocked_ |= std::uint64_t{1} << r.target;
      }
      const std::uint64_t bit = std::uint64_t{1} << r.target;
      if (activating_ & bit) continue;
      c.bank = r.target;
      c.command = open_ & bit ? Command::pre : Command::ref_bank;
      c.cycle = state_.earliest(c.command, r.target);
    }
    c.cycle = std::max(c.cycle, floor_);
    if (c.cycle <= row.cycle) row = c;
  }
}

void Channel::refreshed(const Candidate& c) {
  const int rank = state_.bank(c.bank).rank;
  RankRefresh& r = refresh_[static_cast<std::size_t>(rank)];
  const int first = rank * state_.banks_per_rank();
  const std::uint64_t mine = rank_banks(rank);
  const activity::OperatorId op = meter_.serving();
  emit(c.command, c.bank, c.cycle, kClosed, 0);
  state_.issue(c.command, c.bank, c.cycle);
  if (c.command == Command::pre_all) {
    meter_.count(meter_.ids().precharge, op, __builtin_popcountll(open_ & mine));
    open_ &= ~mine;
    for (int b = first; b < first + state_.banks_per_rank(); ++b) window_.find_hits(b);
    return;
  }
  --r.owed;
  --owed_;
  watch_starvation();
  if (c.command == Command::ref_all) {
    meter_.count(meter_.ids().refresh_ab, op);
    meter_.when(meter_.ids().refresh_ab, 1, c.cycle, c.cycle);
    const bool more = r.owed > 0 && (!(window_.waiting() & mine) || r.owed > memory_.controller.postpone);
    r.active = more;
    if (!more) blocked_ &= ~mine;
    return;
  }
  meter_.count(meter_.ids().refresh_pb, op);
  meter_.when(meter_.ids().refresh_pb, 1, c.cycle, c.cycle);
  blocked_ &= ~(std::uint64_t{1} << c.bank);
  r.target = kNone;
  r.round &= ~(std::uint64_t{1} << (c.bank - first));
  if (r.round == 0) r.round = rank_banks(0);
}

// In closed form: the per-bank refreshes that fall due up to `cycle`, on banks that nothing uses (`avoid`).
void Channel::refresh_banks_until(std::int64_t cycle, std::uint64_t avoid) {
  for (int i = 0; i < state_.ranks(); ++i) {
    RankRefresh& r = refresh_[static_cast<std::size_t>(i)];
    while (r.due <= cycle) {
      const int bank = choose_refresh_bank(i, avoid, true);
      std::int64_t at = r.due;
      if (open_ >> bank & 1) {
        at = std::max(at, state_.earliest(Command::pre, bank));
        state_.issue(Command::pre, bank, at);
        emit(Command::pre, bank, at, kClosed, 0);
        meter_.count(meter_.ids().precharge, meter_.serving());
        open_ &= ~(std::uint64_t{1} << bank);
        window_.find_hits(bank);
      }
      expect_refresh(i, r.next + 1);
      ++r.owed;
      ++owed_;
      refreshed(
          {std::max(at, state_.earliest(Command::ref_bank, bank)), 0, bank, 0, Command::ref_bank, false});
    }
  }
  update_next_due();
}

// The sleep from the last end of work until `until`.
void Channel::slept(std::int64_t until, PowerTimes& times) const {
  const std::int64_t down = memory_.controller.power_down_after.count();
  const std::int64_t self = memory_.controller.self_refresh_after.count();
  const std::int64_t in_self = self > 0 ? std::max<std::int64_t>(0, until - idle_since_ - self) : 0;
  const std::int64_t in_down = down > 0 ? std::max<std::int64_t>(0, until - in_self - idle_since_ - down) : 0;
  times.power_down += in_down * memory_.ranks;
  times.self_refresh += in_self * memory_.ranks;
}

// Work comes back at `cycle`.
void Channel::wake_up(std::int64_t cycle) {
  const PowerTimes before = asleep_;
  slept(cycle, asleep_);
  const std::int64_t down = asleep_.power_down - before.power_down,
                     self = asleep_.self_refresh - before.self_refresh;
  if (self > 0) {
    for (int i = 0; i < state_.ranks(); ++i)
      if (refresh_[static_cast<std::size_t>(i)].due <= cycle) expect_refresh(i, schedule_.until(i, cycle));
    update_next_due();
  }
  const Cycles exit = self > 0 ? memory_.t.tXSR : down > 0 ? memory_.t.tXP : Cycles(0);
  // The exit command goes out in the cycle after the request has come.
  if (exit > Cycles(0)) floor_ = std::max(floor_, cycle + 1 + exit.count());
}

// Sleep begins with all rows closed.
void Channel::close_before_sleep(std::int64_t limit) {
  const std::int64_t down = memory_.controller.power_down_after.count();
  const std::int64_t self = memory_.controller.self_refresh_after.count();
  if (pending_ > 0 || !open_ || activating_ || down + self == 0) return;
  const std::int64_t at = idle_since_ + (down > 0 && (self == 0 || down < self) ? down : self);
  if (at > limit) return;
  for (int i = 0; i < state_.ranks(); ++i) {
    if (!(open_ & rank_banks(i))) continue;
    const std::int64_t cycle = std::max({at, floor_, state_.earliest_rank(Command::pre_all, i)});
    floor_ = cycle + slots_of(Command::pre_all);
    refreshed({cycle, 0, i * state_.banks_per_rank(), 0, Command::pre_all, false});
  }
  chosen_valid_ = false;
}

PowerTimes Channel::power_times(std::int64_t end) const {
  PowerTimes times = asleep_;
  if (pending_ == 0) slept(end, times);
  const std::int64_t asleep = times.power_down + times.self_refresh;
  for (int i = 0; i < state_.ranks(); ++i) times.active += state_.open_time(i, end);
  times.active = std::min(times.active, end * memory_.ranks - asleep);
  times.precharged = end * memory_.ranks - times.active - asleep;
  return times;
}

}  // namespace edgenpu::hardware
