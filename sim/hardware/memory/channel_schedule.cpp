// The scheduler of a channel: which command next, and when.
#include <algorithm>

#include "hardware/memory/channel.h"

namespace edgenpu::hardware {

namespace {

// Among row commands that could go in the same cycle.
enum Priority { refresh_first = 0, second_activate = 1, activate_or_precharge = 2, prepare = 3, policy = 4 };

int lowest(std::uint64_t mask) {
  return __builtin_ctzll(mask);
}

}  // namespace

// A waiting write would close a row in a bank that reads wait for.
bool Channel::writes_disturb_reads() const {
  for (std::uint64_t rest = window_.waiting(1) & window_.waiting(0); rest; rest &= rest - 1)
    if (window_.queue(1, lowest(rest)).hit == kNone) return true;
  return false;
}

// 0: reads are served now, 1: writes.
int Channel::direction() {
  if (writing_) {
    if (window_.size(1) > 0 &&
        (window_.size(0) == 0 || window_.write_bursts() > memory_.controller.write_low))
      return 1;
    window_.restart_write_age(floor_);
    writing_ = false;
    return 0;
  }
  if (window_.size(1) == 0) return 0;
  const config::ControllerConfig& c = memory_.controller;
  writing_ = window_.size(0) == 0 || window_.write_bursts() >= c.write_max ||
             floor_ - window_.oldest_write() > c.write_age.count() ||
             (window_.write_bursts() >= c.write_high && !writes_disturb_reads());
  return writing_;
}

namespace {

bool better(std::int64_t cycle, int priority, std::int64_t order, std::int64_t other_cycle,
            int other_priority, std::int64_t other_order) {
  if (cycle != other_cycle) return cycle < other_cycle;
  if (priority != other_priority) return priority < other_priority;
  return order < other_order;
}

}  // namespace

// Which of several commands goes first: the one that can, and of those the oldest. Both in one number,
// because these comparisons are unpredictable and there are many: the cycles to wait above the order.
struct Channel::Race {
  static constexpr int kOrderBits = 40;
  static constexpr std::int64_t kLongest = 1 << 22;  // so that the shift cannot overflow
  void enter(std::int64_t wait, std::int64_t order, int entrant) {
    const std::int64_t key = (std::min(wait, kLongest) << kOrderBits) + order;
    bank = key < best ? entrant : bank;
    best = key < best ? key : best;
  }
  std::int64_t best = INT64_MAX;
  int bank = kNone;
};

// The oldest column command of those that could go first.
void Channel::consider_columns(int direction, std::uint64_t banks, Candidate& column, Candidate& row) {
  const RequestWindow::BankQueue* queues = window_.queues(direction);
  const Command command = direction ? Command::wr : Command::rd;
  const std::int64_t too_old = memory_.row_cost ? floor_ - memory_.controller.starvation.count() : -kNever;
  const std::int64_t* bank_next = state_.bank_next(command);
  const std::int64_t* group_next = state_.group_next(command);
  const std::int64_t floor = floor_;
  Race race;
  for (; banks; banks &= banks - 1) {
    const int bank = lowest(banks);
    const RequestWindow::BankQueue& q = queues[bank];
    if (q.head_arrival < too_old && q.hit != q.head) {
      consider_row(Command::pre, std::uint64_t{1} << bank, direction, activate_or_precharge, row);
      continue;
    }
    const DramState::Bank& b = state_.bank(bank);
    const std::int64_t in_rank = std::max(floor, state_.earliest_rank(command, b.rank));
    race.enter(std::max(in_rank, std::max(bank_next[bank], group_next[b.group])) - floor, q.hit_order, bank);
  }
  if (race.bank == kNone) return;
  column.command = command;
  column.bank = race.bank;
  column.cycle = std::max(state_.earliest(command, race.bank), floor_);
  column.order = queues[race.bank].hit_order;
  column.cas = memory_.wck_sync && column.cycle > state_.rank(state_.bank(race.bank).rank).wck_until;
  if (column.cas && column.cycle == floor_) ++column.cycle;
}

// The same for ACT-1 or PRE of banks that wait for another row.
void Channel::consider_row(Command command, std::uint64_t banks, int direction, int priority,
                           Candidate& row) {
  const RequestWindow::BankQueue* queues = window_.queues(direction);
  const std::int64_t* bank_next = state_.bank_next(command);
  const std::int64_t* group_next = state_.group_next(command);
  for (int rank = 0; rank < state_.ranks(); ++rank) {
    std::uint64_t rest = banks & rank_banks(rank);
    const std::int64_t base = std::max(floor_, state_.earliest_in_rank(command, rank));
    if (!rest || base > row.cycle) continue;
    Race race;
    for (; rest; rest &= rest - 1) {
      const int bank = lowest(rest);
      std::int64_t cycle = std::max(base, bank_next[bank]);
      if (group_next) cycle = std::max(cycle, group_next[state_.bank(bank).group]);
      race.enter(cycle - base, queues[bank].head_order, bank);
    }
    const std::int64_t cycle = std::max(state_.earliest(command, race.bank), floor_);
    const std::int64_t order = queues[race.bank].head_order;
    if (better(cycle, priority, order, row.cycle, row.priority, row.order))
      row = {cycle, order, race.bank, priority, command, false};
  }
}

void Channel::consider_direction(int direction, std::uint64_t banks, int priority, std::int64_t limit,
                                 Candidate& row) {
  const std::uint64_t closed = banks & ~open_ & ~activating_;
  const std::uint64_t other_row = banks & open_ & ~activating_ & ~window_.hits(direction);
  if (state_.ranks() > 1 || state_.earliest_in_rank(Command::act1, 0) <= limit)
    consider_row(Command::act1, closed, direction, priority, row);
  if (state_.ranks() > 1 || state_.earliest_in_rank(Command::pre, 0) <= limit)
    consider_row(Command::pre, other_row, direction, priority, row);
}

// ACT-2 follows whatever has become of the request meanwhile. Returns the cycle by which it must have gone.
std::int64_t Channel::consider_activating(Candidate& second) {
  std::int64_t deadline = kNever;
  for (std::uint64_t rest = activating_; rest; rest &= rest - 1) {
    const int bank = lowest(rest);
    const std::int64_t cycle = std::max(state_.earliest(Command::act2, bank), floor_);
    const std::int64_t order = state_.bank(bank).opened_at;
    deadline = std::min(deadline, order + memory_.t.tAAD.count());
    if (better(cycle, second_activate, order, second.cycle, second.priority, second.order))
      second = {cycle, order, bank, second_activate, Command::act2, false};
  }
  return deadline;
}

// Closes rows that nothing in the windows wants.
void Channel::consider_policy(Candidate& row) {
  if (memory_.controller.page_policy == config::PagePolicy::open || !memory_.row_cost) return;
  const std::int64_t wait = memory_.controller.page_policy == config::PagePolicy::timeout
                                ? memory_.controller.page_timeout.count()
                                : 0;
  for (std::uint64_t rest = open_ & ~activating_ & ~blocked_; rest; rest &= rest - 1) {
    const int bank = lowest(rest);
    const DramState::Bank& state = state_.bank(bank);
    if (window_.queue(0, bank).hit != kNone || window_.queue(1, bank).hit != kNone) continue;
    if (refresh_[static_cast<std::size_t>(state.rank)].active) continue;
    const std::int64_t used = std::max(state.last_column, state.opened_at);
    const std::int64_t cycle = std::max({state_.earliest(Command::pre, bank), floor_, used + wait});
    if (better(cycle, policy, used, row.cycle, row.priority, row.order))
      row = {cycle, used, bank, policy, Command::pre, false};
  }
}

// A row command goes before a column command if it fits in front of it.
const Channel::Candidate& Channel::pick(const Candidate& column, const Candidate& row) const {
  if (column.cycle == kNever) return row;
  if (row.cycle == kNever) return column;
  const std::int64_t column_first = column.cycle - column.cas;
  if (row.cycle + slots_of(row.command) <= column_first) return row;
  // A refresh that is due waits for nobody.
  if (row.priority == refresh_first && row.cycle <= column_first) return row;
  // With the data bus busy to the last clock the column goes first; otherwise activates are what is scarce.
  const std::int64_t start = column.cycle + data_start_[column.command == Command::wr];
  if (row.command == Command::act1 && row.cycle < column.cycle + memory_.slots.column &&
      start > meter_.data_end())
    return row;
  return column;
}

Channel::Candidate Channel::choose() {
  Candidate column, row, second;
  const int dir = direction();
  if (owed_ > 0) consider_refresh(row);  // first: it blocks banks
  const auto d = static_cast<std::size_t>(dir);
  const std::uint64_t served = window_.waiting(d) & ~blocked_;
  consider_columns(dir, served & window_.hits(d) & ~activating_, column, row);
  if (memory_.row_cost) {
    // Later than this, a row command would lose against the column command.
    const std::int64_t limit = column.cycle + memory_.slots.column;
    consider_direction(dir, served & ~window_.hits(d), activate_or_precharge, limit, row);
    // Rows for the other direction are opened where this one wants nothing.
    const std::uint64_t other = window_.waiting(1 - d) & ~window_.waiting(d) & ~blocked_;
    if (other) consider_direction(1 - dir, other & ~window_.hits(1 - d), prepare, limit, row);
    consider_policy(row);
  }
  if (!activating_) return pick(column, row);
  const std::int64_t deadline = consider_activating(second);
  if (better(second.cycle, second.priority, second.order, row.cycle, row.priority, row.order)) row = second;
  const Candidate& chosen = pick(column, row);
  return chosen.cycle + slots_of(chosen.command) > deadline ? second : chosen;
}

void Channel::emit(Command command, int bank, std::int64_t cycle, std::int64_t row, std::int64_t column) {
  ++commands_;
  if (listener_) listener_->command(cycle, command, bank, row, column);
}

void Channel::execute(const Candidate& c) {
  const Candidate now = c;
  chosen_valid_ = false;
  floor_ = now.cycle + slots_of(now.command);
  const std::uint64_t bit = std::uint64_t{1} << now.bank;
  switch (now.command) {
    case Command::rd:
    case Command::wr:
      execute_column(now);
      break;
    case Command::act1:
      open_row(now);
      break;
    case Command::act2:
      state_.issue(now.command, now.bank, now.cycle);
      emit(now.command, now.bank, now.cycle, state_.bank(now.bank).row, 0);
      activating_ &= ~bit;
      break;
    case Command::pre: {
      emit(now.command, now.bank, now.cycle, state_.bank(now.bank).row, 0);
      state_.issue(now.command, now.bank, now.cycle);
      open_ &= ~bit;
      const bool write = now.priority == prepare ? !writing_ : writing_;
      const std::int32_t head = window_.queue(write, now.bank).head;
      const bool for_slot =
          (now.priority == activate_or_precharge || now.priority == prepare) && head != kNone;
      if (for_slot) window_.slot(head).opened = 2;
      const RequestWindow::Slot* s = for_slot ? &window_.slot(head) : nullptr;
      meter_.count(meter_.ids().precharge, s ? ports_[s->request].what.op : meter_.serving());
      window_.find_hits(now.bank);
      break;
    }
    default:
      refreshed(now);
      break;
  }
}

void Channel::open_row(const Candidate& c) {
  const bool write = c.priority == prepare ? !writing_ : writing_;
  const std::int32_t head = window_.queue(write, c.bank).head;
  RequestWindow::Slot& slot = window_.slot(head);
  slot.opened = std::max<std::int8_t>(slot.opened, 1);
  state_.issue(Command::act1, c.bank, c.cycle, slot.row);
  emit(Command::act1, c.bank, c.cycle, slot.row, 0);
  open_ |= std::uint64_t{1} << c.bank;
  if (memory_.slots.act2 > 0) activating_ |= std::uint64_t{1} << c.bank;
  meter_.count(meter_.ids().activate, ports_[slot.request].what.op);
  meter_.when(meter_.ids().activate, 1, c.cycle, c.cycle);
  window_.find_hits(c.bank);
}

// What kept the data bus empty until this column command; `rows` is the part that opening rows can explain.
activity::Loss Channel::cause_of(const RequestWindow::Slot& slot, std::int64_t cycle,
                                 std::int64_t& rows) const {
  const DramState::Bank& bank = state_.bank(slot.bank);
  const std::int64_t since = std::max(last_column_, slot.arrival);
  rows = 0;
  if (state_.rank(bank.rank).refresh_end > since || bank.refresh_end > since) return activity::Loss::refresh;
  if (slot.opened && bank.opened_at + rcd_ == cycle) {
    rows = rcd_ + (slot.opened == 2 ? memory_.t.tRPpb.count() : 0);
    return activity::Loss::row_miss;
  }
  if (slot.write != last_write_ && last_column_ >= 0) return activity::Loss::turnaround;
  return activity::Loss::queueing;
}

void Channel::execute_column(const Candidate& c) {
  const std::int32_t index = window_.queue(writing_, c.bank).hit;
  RequestWindow::Slot& slot = window_.slot(index);
  PendingRequest& request = ports_[slot.request];
  const activity::OperatorId op = request.what.op;
  const std::int64_t start = c.cycle + data_start_[slot.write];
  const std::int64_t end = start + memory_.t.BL.count();
  std::int64_t rows = 0;
  const activity::Loss cause =
      start > meter_.data_end() ? cause_of(slot, c.cycle, rows) : activity::Loss::queueing;
  meter_.transfer(op, start, end, cause, rows);
  if (first_data_ < 0) first_data_ = start;
  state_.issue(c.command, c.bank, c.cycle);
  if (listener_) {
    const auto a = map_.decode(slot.burst);
    listener_->command(c.cycle, c.command, c.bank, slot.row, a.column);
  }
  ++commands_;
  refreshes_without_data_ = 0;
  last_column_ = c.cycle;
  last_write_ = slot.write;
  const DramCounters& ids = meter_.ids();
  meter_.bursts(slot.write, op, 1);
  meter_.when_bursts(slot.write, 1, start, end);
  meter_.count(slot.opened == 0 ? ids.hits : slot.opened == 1 ? ids.misses : ids.conflicts, op);
  if (request.service < 0) request.service = c.cycle;
  const std::int32_t request_index = slot.request;
  const bool gone = window_.serve(index);
  if (--request.left == 0) complete(request_index, end);
  if (gone) feed();
}

}  // namespace edgenpu::hardware
