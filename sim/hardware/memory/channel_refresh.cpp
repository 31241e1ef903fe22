// Refresh and sleep of a channel: the commands that the refresher and the sleep ask for.
#include <algorithm>

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

// An idle channel with all rows closed does nothing but refresh. Whole rounds of it are counted: the banks to be
// refreshed are the same after every round, and the last rounds leave the state that all of them would.
bool Channel::skip_idle_refreshes(std::int64_t limit) {
  if (pending_ > 0 || state_.open() || state_.activating() || refresher_.blocked() || refresher_.owed() > 0 ||
      bus_.listened())
    return false;
  const std::int64_t round = refresher_.round();
  const std::int64_t n =
      refresher_.in_whole_rounds(std::min(limit, sleep_.self_refresh_begins())) - kRoundsLeft * round;
  if (n < (meter_.recording() ? kManyRefreshes : round)) return false;
  const activity::CounterId id = refresher_.per_bank() ? meter_.ids().refresh_pb : meter_.ids().refresh_ab;
  for (int i = 0; i < state_.ranks(); ++i) {
    const std::int64_t from = refresher_.due(i);
    refresher_.skip(i, n);
    meter_.count(id, meter_.serving(), n);
    meter_.when(id, n, from, refresher_.due(i));
    bus_.count(n);
  }
  chosen_valid_ = false;
  return true;
}

void Channel::close_rank(int bank, std::int64_t cycle) {
  const int rank = state_.bank(bank).rank;
  const int open = __builtin_popcountll(state_.open() & state_.rank_banks(rank));
  bus_.tell(Command::pre_all, bank, cycle, kClosed);
  state_.issue(Command::pre_all, bank, cycle);
  meter_.count(meter_.ids().precharge, meter_.serving(), open);
  const int first = rank * state_.banks_per_rank();
  for (int b = first; b < first + state_.banks_per_rank(); ++b) window_.find_hits(b);
}

// A memory whose refreshes leave no time for data is refused when it is read (config/memory_timings.cpp).
void Channel::refresh(Command command, int bank, std::int64_t cycle) {
  bus_.tell(command, bank, cycle, kClosed);
  state_.issue(command, bank, cycle);
  refresher_.done(command, bank, window_.waiting());
  if (pending_ > 0 && refresher_.without_data() > kMostRefreshes)
    throw InternalError("the memory does nothing but refresh: " + describe());
  const activity::CounterId id =
      command == Command::ref_all ? meter_.ids().refresh_ab : meter_.ids().refresh_pb;
  meter_.count(id, meter_.serving());
  meter_.when(id, 1, cycle, cycle);
}

// In closed form: the per-bank refreshes that fall due up to `cycle`, on banks that nothing uses (`avoid`).
void Channel::refresh_banks_until(std::int64_t cycle, std::uint64_t avoid) {
  for (int i = 0; i < state_.ranks(); ++i)
    while (refresher_.due(i) <= cycle) {
      const int bank = refresher_.choose_bank(i, avoid, true);
      std::int64_t at = refresher_.due(i);
      if (state_.open() >> bank & 1) {
        at = std::max(at, state_.earliest(Command::pre, bank));
        state_.issue(Command::pre, bank, at);
        bus_.tell(Command::pre, bank, at, kClosed);
        meter_.count(meter_.ids().precharge, meter_.serving());
        window_.find_hits(bank);
      }
      refresher_.owe_next(i);
      refresh(Command::ref_bank, bank, std::max(at, state_.earliest(Command::ref_bank, bank)));
    }
}

// Work comes back at `cycle`; the exit command goes out in the cycle after the request has come.
void Channel::wake_up(std::int64_t cycle) {
  const Sleep::Woken woken = sleep_.wake(cycle);
  if (woken.refreshed) refresher_.skip_until(cycle);
  if (woken.exit > 0) bus_.not_before(cycle + 1 + woken.exit);
}

// Sleep begins with all rows closed.
void Channel::close_before_sleep(std::int64_t limit) {
  const std::int64_t at = sleep_.begins();
  if (pending_ > 0 || state_.activating() || at == kNever || at > limit) return;
  for (int i = 0; i < state_.ranks(); ++i) {
    if (!(state_.open() & state_.rank_banks(i))) continue;
    const std::int64_t cycle = std::max({at, bus_.free(), state_.earliest_rank(Command::pre_all, i)});
    bus_.take(Command::pre_all, cycle);
    close_rank(i * state_.banks_per_rank(), cycle);
  }
  chosen_valid_ = false;
}

PowerTimes Channel::power_times(std::int64_t end) const {
  PowerTimes times = pending_ == 0 ? sleep_.times_until(end) : sleep_.times();
  const std::int64_t asleep = times.power_down + times.self_refresh;
  for (int i = 0; i < state_.ranks(); ++i) times.active += state_.open_time(i, end);
  times.active = std::min(times.active, end * memory_.ranks - asleep);
  times.precharged = end * memory_.ranks - times.active - asleep;
  return times;
}

}  // namespace edgenpu::hardware
