#include "hardware/memory/command_chooser.h"

#include <algorithm>

namespace edgenpu::hardware {

using timing::Command;

CommandChooser::CommandChooser(const config::Memory& memory, const DramState& state, const CommandBus& bus,
                               const ChannelMeter& meter, RequestWindow& window, Refresher& refresher)
    : memory_(memory),
      state_(state),
      bus_(bus),
      meter_(meter),
      window_(window),
      refresher_(refresher),
      groups_(memory.controller, window),
      scheduler_(make_scheduler(memory, state, window)),
      policy_(make_page_policy(memory)),
      read_data_(timing::read_data_start(memory)),
      write_data_(timing::write_data_start(memory)) {}

Candidate CommandChooser::choose() {
  Candidate column, row, second;
  const std::int64_t free = bus_.free();
  const int dir = groups_.direction(free);
  if (refresher_.owed() > 0) row = refresher_.propose(window_.waiting(), free);  // first: it blocks banks
  const std::uint64_t standing = refresher_.blocked() | state_.activating();
  const std::uint64_t served = window_.waiting(dir) & ~standing;
  const std::uint64_t hits = served & window_.hits(dir);
  if (hits) scheduler_->columns({dir, hits, free}, column, row);
  if (memory_.row_cost) {
    // Later than this, a row command would lose against the column command.
    const std::int64_t limit = column.cycle + memory_.slots.column;
    const std::uint64_t misses = served & ~hits;
    if (misses) scheduler_->rows({dir, misses, free}, Priority::request, limit, row);
    const std::uint64_t other = window_.waiting(1 - dir) & ~window_.hits(1 - dir) & ~window_.waiting(dir);
    if (other & ~standing)
      scheduler_->rows({1 - dir, other & ~standing, free}, Priority::prepare, limit, row);
    if (policy_) consider_policy(row);
  }
  if (!state_.activating()) return pick(column, row);
  const std::int64_t deadline = consider_activating(second);
  if (second.before(row)) row = second;
  const Candidate& chosen = pick(column, row);
  return chosen.cycle + bus_.slots(chosen.command) > deadline ? second : chosen;
}

// Returns the cycle by which the first of them must have gone.
std::int64_t CommandChooser::consider_activating(Candidate& second) const {
  std::int64_t deadline = kNever;
  for (std::uint64_t rest = state_.activating(); rest; rest &= rest - 1) {
    Candidate c;
    c.bank = __builtin_ctzll(rest);
    c.command = Command::act2;
    c.priority = Priority::second_activate;
    c.cycle = std::max(state_.earliest(c.command, c.bank), bus_.free());
    c.order = state_.bank(c.bank).opened_at;
    deadline = std::min(deadline, c.order + memory_.t.tAAD.count());
    if (c.before(second)) second = c;
  }
  return deadline;
}

void CommandChooser::consider_policy(Candidate& row) const {
  const std::uint64_t wanted = window_.hits(0) | window_.hits(1);
  std::uint64_t rest = state_.open() & ~state_.activating() & ~refresher_.blocked() & ~wanted;
  for (; rest; rest &= rest - 1) {
    Candidate c;
    c.bank = __builtin_ctzll(rest);
    const DramState::Bank& bank = state_.bank(c.bank);
    const std::int64_t from = policy_->close_from(c.bank, bank);
    if (from == kNever) continue;
    c.command = Command::pre;
    c.priority = Priority::policy;
    c.order = bank.last_use();
    c.cycle = std::max({state_.earliest(c.command, c.bank), bus_.free(), from});
    if (c.before(row)) row = c;
  }
}

// A row command goes before a column command if it fits in front of it.
const Candidate& CommandChooser::pick(const Candidate& column, const Candidate& row) const {
  if (column.cycle == kNever) return row;
  if (row.cycle == kNever) return column;
  const std::int64_t column_first = column.cycle - column.cas;
  if (row.cycle + bus_.slots(row.command) <= column_first) return row;
  // A refresh that is due waits for nobody.
  if (row.priority == Priority::refresh && row.cycle <= column_first) return row;
  // With the data bus busy to the last clock the column goes first; otherwise activates are what is scarce.
  const std::int64_t start = column.cycle + (column.write ? write_data_ : read_data_);
  if (row.command == Command::act1 && row.cycle < column.cycle + memory_.slots.column &&
      start > meter_.data_end())
    return row;
  return column;
}

}  // namespace edgenpu::hardware
