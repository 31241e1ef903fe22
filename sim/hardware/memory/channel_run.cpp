// A planned run (run_planner.h) comes true, as far as it gets.
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

// What happened of a run.
struct Channel::RunPart {
  std::int64_t bursts = 0, last = 0;  // the cycle of the last column command
  std::int64_t opened = 0, conflicts = 0;
  activity::Loss cause = activity::Loss::queueing;  // of the gap in front
};

// Makes the planned run true up to cycle `until`, and ends it.
void Channel::commit_run(std::int64_t until) {
  planner_.end();
  chosen_valid_ = false;
  const Run& run = planner_.run();
  const std::int64_t step = memory_.t.tCCD_S.count();
  RunPart part;
  part.bursts = until < run.first ? 0 : std::min(run.bursts, (until - run.first) / step + 1);
  part.last = run.first + (part.bursts - 1) * step;
  part.cause = cause_of(run);  // before the state moves on
  issue_rows(run, until, part);
  book_run(run, part);
  if (refresher_.per_bank() && refresher_.next_due() <= until)
    refresh_banks_until(until, run.banks | planner_.next_banks());
  feed();
}

activity::Loss Channel::cause_of(const Run& run) const {
  const DramState::Bank& front = state_.bank(run.rows.front().bank);
  const std::int64_t since = std::max(last_column_, ports_[run.request].arrival);
  if (state_.rank(front.rank).refresh_end > since || front.refresh_end > since)
    return activity::Loss::refresh;
  if (run.write != last_write_ && last_column_ >= 0) return activity::Loss::turnaround;
  return run.opened && run.first > run.rows_from ? activity::Loss::row_miss : activity::Loss::queueing;
}

void Channel::issue_rows(const Run& run, std::int64_t until, RunPart& part) {
  const std::int64_t step = memory_.t.tCCD_S.count();
  LastOf issued(state_);
  // Rows take turns to the end: the last burst of the one in front comes first.
  std::int64_t own_last = part.last - static_cast<std::int64_t>(run.rows.size() - 1) * step;
  for (const RowOpening& r : run.rows) {
    if (r.pre >= 0 && r.pre <= until) {
      issued.issue(Command::pre, r.bank, r.pre);
      ++part.conflicts;
    }
    if (r.act >= 0 && r.act <= until) {
      issued.issue(Command::act1, r.bank, r.act, r.row);
      if (memory_.slots.act2 > 0) issued.issue(Command::act2, r.bank, r.act + memory_.slots.act1);
      ++part.opened;
      meter_.when(meter_.ids().activate, 1, r.act, r.act);
    }
    if (own_last >= run.first) issued.issue(run.write ? Command::wr : Command::rd, r.bank, own_last);
    own_last += step;
    if ((r.pre >= 0 || r.act >= 0) && window_.size() > 0) window_.find_hits(r.bank);
  }
  issued.settle();
}

void Channel::book_run(const Run& run, const RunPart& part) {
  const DramCounters& ids = meter_.ids();
  const activity::OperatorId op = ports_[run.request].what.op;
  const std::int64_t n = part.bursts;
  meter_.count(ids.activate, op, part.opened);
  meter_.count(ids.precharge, op, part.conflicts);
  bus_.count(n + 2 * part.opened + part.conflicts);
  if (n == 0) return;
  refresher_.data_moved();
  const std::int64_t start = run.first + data_start_[run.write];
  const std::int64_t end = start + n * memory_.t.tCCD_S.count();
  const bool row_miss = part.cause == activity::Loss::row_miss;
  meter_.transfer(op, start, end, part.cause, row_miss ? run.first - run.rows_from : 0);
  if (first_data_ < 0) first_data_ = start;
  meter_.bursts(run.write, op, n);
  meter_.when_bursts(run.write, n, start, end);
  // A run that was cut may have opened more rows than it has come to.
  const std::int64_t for_rows = std::min(n, part.opened), after_closing = std::min(for_rows, part.conflicts);
  meter_.count(ids.hits, op, n - for_rows);
  meter_.count(ids.misses, op, for_rows - after_closing);
  meter_.count(ids.conflicts, op, after_closing);
  last_column_ = part.last;
  last_write_ = run.write;
  bus_.not_before(part.last + 1);
  advance(run, n, end);
}

// The request of the run has `n` bursts fewer to go.
void Channel::advance(const Run& run, std::int64_t n, std::int64_t end) {
  PendingRequest& request = ports_[run.request];
  if (request.service < 0) request.service = run.first;
  request.next += n;
  request.left -= n;
  if (request.left > 0) return;
  planner_.done(request.what.bursts);
  ports_.pop(run.port);
  complete(run.request, end);
}

}  // namespace edgenpu::hardware
