// Closed form: a whole run of bursts over the rows that the mapping opens together.
//
//   entry   when the run's first piece would enter the window: one cycle after its arrival, or a window's
//           worth of bursts before the end of the run in front
//   ready   of a row: entry if it is open; else after PRE, ACT-1, ACT-2 under tRP, tRC, tRRD, tFAW, then tRCD
//   last    column command = the latest of: one burst each tCCD_S from the first ready row; each row's own
//           bursts at tCCD_L after it is ready
// Left out: contention for the command bus (a stream leaves half of it free).
#include <algorithm>

#include "hardware/memory/channel.h"

namespace edgenpu::hardware {

namespace {

// Commands to the rows of one run; what they forbid in their rank follows from the last one of each kind.
class LastOf {
 public:
  explicit LastOf(DramState& state) : state_(state) { last_.fill(-kNever); }
  void issue(timing::Command command, int bank, std::int64_t cycle, std::int64_t row = kClosed) {
    state_.issue_in_bank(command, bank, cycle, row);
    if (state_.ranks() > 1) return state_.issue_in_rank(command, bank, cycle);
    std::int64_t& last = last_[static_cast<std::size_t>(command)];
    last = std::max(last, cycle);
  }
  void settle() {
    for (std::size_t c = 0; c < last_.size(); ++c)
      if (last_[c] > -kNever) state_.issue_in_rank(static_cast<timing::Command>(c), 0, last_[c]);
  }

 private:
  DramState& state_;
  std::array<std::int64_t, timing::kCommands> last_{};
};

}  // namespace

bool Channel::can_run() const {
  if (window_.size() > 0 || activating_ || blocked_ || owed_ > 0) return false;
  const int port = ports_.alone();
  return port != kNone && suits_run(port);
}

bool Channel::suits_run(int port) const {
  const auto& queue = ports_.queue(port);
  const auto bursts = [&](std::size_t i) { return ports_[queue[i]].what.bursts; };
  if (bursts(0) >= long_) return true;
  return bursts(0) >= shortest_ &&
         (after_long_ == window_.filled() || (queue.size() > 1 && bursts(1) >= long_));
}

// The rows of bursts [begin, end), in the order in which the bursts come to them.
void Channel::gather_rows(std::int64_t begin, std::int64_t end) {
  run_.rows.clear();
  run_.banks = 0;
  const auto add = [&](std::int64_t burst) {
    const std::int32_t bank = map_.flat_bank(burst);
    if (run_.banks >> bank & 1) return;
    run_.banks |= std::uint64_t{1} << bank;
    run_.rows.push_back({bank, map_.row(burst), -1, -1, 0});
  };
  if (end - begin < bank_period_) {
    for (std::int64_t burst = begin; burst < end; ++burst) add(burst);
    return;
  }
  // Long enough to come to every bank of the chunk, each in the same row; step through the bits that choose
  // the bank.
  const std::int64_t row = map_.row(begin);
  const std::int32_t base = map_.flat_bank(begin & ~bank_mask_);
  std::size_t first = 0;
  while (bank_steps_[first].bits != (begin & bank_mask_)) ++first;
  for (std::size_t i = 0; i < bank_steps_.size(); ++i) {
    const std::int32_t bank = base ^ bank_steps_[(first + i) & (bank_steps_.size() - 1)].bank;
    run_.banks |= std::uint64_t{1} << bank;
    run_.rows.push_back({bank, row, -1, -1, 0});
  }
}

// Plans PRE and ACT of the rows that are not open, in order.
void Channel::plan_rows(std::int64_t entry) {
  DramState::Rank rank = state_.rank(state_.bank(run_.rows.front().bank).rank);
  // These activates lie before what the rank has meanwhile done for refresh, so only the rules between rows
  // count.
  std::int64_t last_pre = -kNever, last_act = rank.activates[static_cast<std::size_t>((rank.oldest + 3) % 4)];
  int last_group = kNone;
  run_.opened = 0;
  for (RowOpening& r : run_.rows) {
    const DramState::Bank& b = state_.bank(r.bank);
    if (!memory_.row_cost || b.row == r.row) continue;
    ++run_.opened;
    std::int64_t act = std::max({entry, state_.bank_next(Command::act1)[r.bank], rank.refresh_end});
    if (b.row != kClosed) {
      r.pre = std::max({entry, state_.bank_next(Command::pre)[r.bank], last_pre + memory_.t.tPPD.count()});
      last_pre = r.pre;
      act = std::max(act, r.pre + memory_.t.tRPpb.count());
    }
    const auto gap = b.group == last_group ? memory_.t.tRRD_L : memory_.t.tRRD_S;
    act = std::max({act, last_act + gap.count(),
                    rank.activates[static_cast<std::size_t>(rank.oldest)] + memory_.t.tFAW.count()});
    rank.activates[static_cast<std::size_t>(rank.oldest)] = act;
    rank.oldest = (rank.oldest + 1) % 4;
    r.act = last_act = act;
    last_group = b.group;
  }
}

std::int64_t Channel::ready(const RowOpening& row, std::int64_t entry) const {
  const Command column = run_.write ? Command::wr : Command::rd;
  const std::int64_t open = row.act >= 0 ? row.act + rcd_ : entry;
  return std::max(open, state_.earliest(column, row.bank));
}

// A per-bank refresh command is urgent: where columns take every other slot of the command bus, it delays
// one.
std::int64_t Channel::slots_for_refresh(std::int64_t from, std::int64_t to) const {
  const bool tight = memory_.t.tCCD_S.count() <= 2 * memory_.slots.column;
  if (!tight || memory_.refresh != config::RefreshMode::pb || next_due() > to) return 0;
  std::int64_t slots = 0;
  for (int i = 0; i < state_.ranks(); ++i) {
    const std::int64_t first =
        std::max(refresh_[static_cast<std::size_t>(i)].next, schedule_.until(i, from - 1));
    slots += std::max<std::int64_t>(0, schedule_.until(i, to) - first);
  }
  return slots;
}

// False if an all-bank refresh comes before the first burst.
bool Channel::plan_run() {
  run_.port = ports_.alone();
  const std::int32_t index = ports_.queue(run_.port).front();
  const PendingRequest& request = ports_[index];
  const std::int64_t chunk_end = (request.next | chunk_mask_) + 1;
  run_.request = index;
  run_.write = request.what.write;
  run_.next = request.next;
  run_.bursts = std::min(request.end(), chunk_end) - request.next;
  const std::int64_t entry = std::max(request.arrival + 1, last_column_ - lookahead_);
  gather_rows(run_.next, run_.next + run_.bursts);
  plan_rows(entry);
  const std::int64_t step = memory_.t.tCCD_S.count();
  const std::int64_t per_row = (run_.bursts + static_cast<std::int64_t>(run_.rows.size()) - 1) /
                               static_cast<std::int64_t>(run_.rows.size());
  const std::int64_t own_step = run_.rows.size() > 1 ? memory_.t.tCCD_L.count() : step;
  for (RowOpening& r : run_.rows) r.ready = ready(r, entry);
  const std::int64_t start = std::max(run_.rows.front().ready, last_column_ + 1);
  run_.last = start + (run_.bursts - 1) * step;
  for (const RowOpening& r : run_.rows) run_.last = std::max(run_.last, r.ready + (per_row - 1) * own_step);
  run_.last += slots_for_refresh(start, run_.last);
  run_.first = run_.last - (run_.bursts - 1) * step;
  run_.rows_from = std::max(entry, last_column_ + 1);
  run_.active = true;
  if (memory_.refresh != config::RefreshMode::ab || next_due() > run_.last) return true;
  // An all-bank refresh cuts the run.
  run_.bursts = next_due() > run_.first ? (next_due() - run_.first + step - 1) / step : 0;
  run_.last = run_.first + (run_.bursts - 1) * step;
  run_.active = run_.bursts > 0;
  return run_.active;
}

// Makes the planned run true up to cycle `until`, and ends it.
void Channel::commit_run(std::int64_t until) {
  run_.active = false;
  chosen_valid_ = false;
  PendingRequest& request = ports_[run_.request];
  const activity::OperatorId op = request.what.op;
  const std::int64_t step = memory_.t.tCCD_S.count();
  const std::int64_t n = until < run_.first ? 0 : std::min(run_.bursts, (until - run_.first) / step + 1);
  const std::int64_t last = run_.first + (n - 1) * step;
  // The cause of the gap in front is judged before the state moves on.
  const std::int64_t start = run_.first + data_start_[run_.write];
  const DramState::Bank& front = state_.bank(run_.rows.front().bank);
  const std::int64_t since = std::max(last_column_, request.arrival);
  const bool refreshed = state_.rank(front.rank).refresh_end > since || front.refresh_end > since;
  const std::int64_t rows = run_.opened ? run_.first - run_.rows_from : 0;
  const activity::Loss cause = refreshed                                        ? activity::Loss::refresh
                               : run_.write != last_write_ && last_column_ >= 0 ? activity::Loss::turnaround
                               : rows > 0                                       ? activity::Loss::row_miss
                                                                                : activity::Loss::queueing;
  std::int64_t conflicts = 0, opened = 0;
  LastOf issued(state_);
  // Rows take turns to the end: the last burst of the one in front comes first.
  std::int64_t own_last = last - static_cast<std::int64_t>(run_.rows.size() - 1) * step;
  for (const RowOpening& r : run_.rows) {
    const std::uint64_t bit = std::uint64_t{1} << r.bank;
    if (r.pre >= 0 && r.pre <= until) {
      issued.issue(Command::pre, r.bank, r.pre);
      open_ &= ~bit;
      ++conflicts;
    }
    if (r.act >= 0 && r.act <= until) {
      issued.issue(Command::act1, r.bank, r.act, r.row);
      if (memory_.slots.act2 > 0) issued.issue(Command::act2, r.bank, r.act + memory_.slots.act1);
      open_ |= bit;
      ++opened;
      meter_.when(meter_.ids().activate, 1, r.act, r.act);
    }
    if (own_last >= run_.first) issued.issue(run_.write ? Command::wr : Command::rd, r.bank, own_last);
    own_last += step;
    if ((r.pre >= 0 || r.act >= 0) && window_.size() > 0) window_.find_hits(r.bank);
  }
  issued.settle();
  const DramCounters& ids = meter_.ids();
  meter_.count(ids.activate, op, opened);
  meter_.count(ids.precharge, op, conflicts);
  commands_ += n + 2 * opened + conflicts;
  if (n > 0) {
    refreshes_without_data_ = 0;
    meter_.transfer(op, start, start + n * step, cause, cause == activity::Loss::row_miss ? rows : 0);
    if (first_data_ < 0) first_data_ = start;
    meter_.bursts(run_.write, op, n);
    meter_.when_bursts(run_.write, n, start, start + n * step);
    // A run that was cut may have opened more rows than it has come to.
    const std::int64_t for_rows = std::min(n, opened), after_closing = std::min(for_rows, conflicts);
    meter_.count(ids.hits, op, n - for_rows);
    meter_.count(ids.misses, op, for_rows - after_closing);
    meter_.count(ids.conflicts, op, after_closing);
    last_column_ = last;
    last_write_ = run_.write;
    floor_ = std::max(floor_, last + 1);
    if (request.service < 0) request.service = run_.first;
    request.next += n;
    request.left -= n;
    if (request.left == 0) {
      after_long_ = request.what.bursts >= long_ ? window_.filled() : kNone;
      ports_.pop(run_.port);
      complete(run_.request, start + n * step);
    }
  }
  if (memory_.refresh == config::RefreshMode::pb && next_due() <= until) {
    std::uint64_t avoid = run_.banks;
    const auto& port = ports_.queue(run_.port);
    if (!port.empty()) {
      const std::int64_t next = ports_[port.front()].next;
      gather_rows(next, std::min(next + bank_period_, (next | chunk_mask_) + 1));
      avoid |= run_.banks;
    }
    refresh_banks_until(until, avoid);
  }
  feed();
}

}  // namespace edgenpu::hardware
