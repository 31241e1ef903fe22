#include "hardware/memory/run_planner.h"

#include <algorithm>

namespace edgenpu::hardware {

namespace {

using timing::Command;

// Among shorter payloads the scheduler has more freedom than a closed form can tell. One short payload beside a long
// one (the ragged end of a tile) has not.
constexpr Bytes kLong{4096}, kShortest{128};

// Neighbouring bursts go to different bank groups soon enough for a stream to run at tCCD_S.
bool streams_at_full_rate(const config::Memory& m, const timing::AddressMap& map) {
  return m.t.tCCD_L == m.t.tCCD_S || (map.group_mask() & 3) != 0;
}

}  // namespace

RunPlanner::RunPlanner(const config::Memory& m, const timing::AddressMap& map, const DramState& state,
                       const RequestPorts& ports, const RequestWindow& window, const Refresher& refresher,
                       bool wanted)
    : memory_(m),
      state_(state),
      ports_(ports),
      window_(window),
      refresher_(refresher),
      rows_(map),
      enabled_(wanted && streams_at_full_rate(m, map) && rows_.few()),
      long_(kLong / m.burst_bytes()),
      shortest_(kShortest / m.burst_bytes()),
      lookahead_(window.bursts_of_reads() * m.t.tCCD_S.count()) {}

int RunPlanner::port() const {
  const int port = ports_.alone();
  return port != kNone && suits(port) ? port : kNone;
}

bool RunPlanner::can_run() const {
  if (window_.size() > 0 || state_.activating() || refresher_.blocked() || refresher_.owed() > 0)
    return false;
  return port() != kNone;
}

bool RunPlanner::suits(int port) const {
  const auto& queue = ports_.queue(port);
  const auto bursts = [&](std::size_t i) { return ports_[queue[i]].what.bursts; };
  if (bursts(0) >= long_) return true;
  return bursts(0) >= shortest_ &&
         (after_long_ == window_.filled() || (queue.size() > 1 && bursts(1) >= long_));
}

bool RunPlanner::plan(std::int64_t last_column) {
  run_.port = ports_.alone();
  run_.request = ports_.queue(run_.port).front();
  const PendingRequest& request = ports_[run_.request];
  run_.write = request.what.write;
  run_.next = request.next;
  run_.bursts = std::min(request.end(), rows_.chunk_end(request.next)) - request.next;
  const std::int64_t entry = std::max(request.arrival + 1, last_column - lookahead_);
  run_.banks = rows_.gather(run_.next, run_.next + run_.bursts, run_.rows);
  plan_rows(entry);
  plan_columns(entry, last_column);
  run_.rows_from = std::max(entry, last_column + 1);
  run_.active = true;
  if (memory_.refresh == config::RefreshMode::ab && refresher_.next_due() <= run_.last)
    return cut_at_refresh();
  return true;
}

bool RunPlanner::cut_at_refresh() {
  const std::int64_t step = memory_.t.tCCD_S.count(), due = refresher_.next_due();
  run_.bursts = due > run_.first ? (due - run_.first + step - 1) / step : 0;
  run_.last = run_.first + (run_.bursts - 1) * step;
  run_.active = run_.bursts > 0;
  return run_.active;
}

// Plans PRE and ACT of the rows that are not open, in order.
void RunPlanner::plan_rows(std::int64_t entry) {
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
    std::int64_t& oldest = rank.activates[static_cast<std::size_t>(rank.oldest)];
    act = std::max({act, last_act + gap.count(), oldest + memory_.t.tFAW.count()});
    oldest = act;
    rank.oldest = (rank.oldest + 1) % 4;
    r.act = last_act = act;
    last_group = b.group;
  }
}

void RunPlanner::plan_columns(std::int64_t entry, std::int64_t last_column) {
  const std::int64_t step = memory_.t.tCCD_S.count();
  const auto rows = static_cast<std::int64_t>(run_.rows.size());
  const std::int64_t per_row = (run_.bursts + rows - 1) / rows;
  const std::int64_t own_step = rows > 1 ? memory_.t.tCCD_L.count() : step;
  for (RowOpening& r : run_.rows) r.ready = ready(r, entry);
  const std::int64_t start = std::max(run_.rows.front().ready, last_column + 1);
  run_.last = start + (run_.bursts - 1) * step;
  for (const RowOpening& r : run_.rows) run_.last = std::max(run_.last, r.ready + (per_row - 1) * own_step);
  run_.last += slots_for_refresh(start, run_.last);
  run_.first = run_.last - (run_.bursts - 1) * step;
}

std::int64_t RunPlanner::ready(const RowOpening& row, std::int64_t entry) const {
  const Command column = run_.write ? Command::wr : Command::rd;
  const std::int64_t open = row.act >= 0 ? row.act + state_.row_to_column() : entry;
  return std::max(open, state_.earliest(column, row.bank));
}

// A per-bank refresh command is urgent: where columns take every other slot of the command bus, it delays
// one.
std::int64_t RunPlanner::slots_for_refresh(std::int64_t from, std::int64_t to) const {
  const bool tight = memory_.t.tCCD_S.count() <= 2 * memory_.slots.column;
  if (!tight || !refresher_.per_bank() || refresher_.next_due() > to) return 0;
  return refresher_.due_between(from, to);
}

std::uint64_t RunPlanner::next_banks() const {
  const auto& queue = ports_.queue(run_.port);
  if (queue.empty()) return 0;
  const std::int64_t next = ports_[queue.front()].next;
  std::vector<RowOpening> rows;
  return rows_.gather(next, std::min(next + rows_.period(), rows_.chunk_end(next)), rows);
}

}  // namespace edgenpu::hardware
