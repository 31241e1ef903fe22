// What becomes of a channel's requests and counters when a command goes.
#include <algorithm>

#include "hardware/memory/channel.h"

namespace edgenpu::hardware {

void Channel::execute(const Candidate& c) {
  const Candidate now = c;
  chosen_valid_ = false;
  bus_.take(now.command, now.cycle);
  switch (now.command) {
    case Command::rd:
    case Command::wr:
      return execute_column(now);
    case Command::act1:
      return open_row(now);
    case Command::act2:
      state_.issue(now.command, now.bank, now.cycle);
      return bus_.tell(now.command, now.bank, now.cycle, state_.bank(now.bank).row);
    case Command::pre:
      return close_row(now);
    case Command::pre_all:
      return close_rank(now.bank, now.cycle);
    case Command::ref_all:
    case Command::ref_bank:
      return refresh(now.command, now.bank, now.cycle);
  }
}

void Channel::close_row(const Candidate& c) {
  bus_.tell(c.command, c.bank, c.cycle, state_.bank(c.bank).row);
  state_.issue(c.command, c.bank, c.cycle);
  activity::OperatorId op = meter_.serving();
  const std::int32_t head = window_.queue(c.write, c.bank).head;
  if ((c.priority == Priority::request || c.priority == Priority::prepare) && head != kNone) {
    RequestWindow::Slot& slot = window_.slot(head);
    slot.opened = 2;
    op = ports_[slot.request].what.op;
  }
  meter_.count(meter_.ids().precharge, op);
  window_.find_hits(c.bank);
}

void Channel::open_row(const Candidate& c) {
  RequestWindow::Slot& slot = window_.slot(window_.queue(c.write, c.bank).head);
  slot.opened = std::max<std::int8_t>(slot.opened, 1);
  state_.issue(Command::act1, c.bank, c.cycle, slot.row);
  bus_.tell(Command::act1, c.bank, c.cycle, slot.row);
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
  if (slot.opened && bank.opened_at + state_.row_to_column() == cycle) {
    rows = state_.row_to_column() + (slot.opened == 2 ? memory_.t.tRPpb.count() : 0);
    return activity::Loss::row_miss;
  }
  if (slot.write != last_write_ && last_column_ >= 0) return activity::Loss::turnaround;
  return activity::Loss::queueing;
}

inline void Channel::book_burst(const RequestWindow::Slot& slot, activity::OperatorId op, std::int64_t start,
                                std::int64_t end) {
  const DramCounters& ids = meter_.ids();
  meter_.bursts(slot.write, op, 1);
  meter_.when_bursts(slot.write, 1, start, end);
  meter_.count(slot.opened == 0 ? ids.hits : slot.opened == 1 ? ids.misses : ids.conflicts, op);
}

void Channel::execute_column(const Candidate& c) {
  const std::int32_t index = window_.queue(c.write, c.bank).hit;
  const RequestWindow::Slot& slot = window_.slot(index);
  const std::int32_t request_index = slot.request;
  PendingRequest& request = ports_[request_index];
  const std::int64_t start = c.cycle + data_start_[slot.write];
  const std::int64_t end = start + memory_.t.BL.count();
  std::int64_t rows = 0;
  const activity::Loss cause =
      start > meter_.data_end() ? cause_of(slot, c.cycle, rows) : activity::Loss::queueing;
  meter_.transfer(request.what.op, start, end, cause, rows);
  if (first_data_ < 0) first_data_ = start;
  state_.issue(c.command, c.bank, c.cycle);
  const std::int64_t column = bus_.listened() ? map_.decode(slot.burst).column : 0;
  bus_.tell(c.command, c.bank, c.cycle, slot.row, column);
  refresher_.data_moved();
  last_column_ = c.cycle;
  last_write_ = slot.write;
  book_burst(slot, request.what.op, start, end);
  if (request.service < 0) request.service = c.cycle;
  const bool gone = window_.serve(index);
  if (--request.left == 0) complete(request_index, end);
  if (gone) feed();
}

}  // namespace edgenpu::hardware
