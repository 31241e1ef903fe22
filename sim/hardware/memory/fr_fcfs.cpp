#include "hardware/memory/fr_fcfs.h"

#include <algorithm>

namespace edgenpu::hardware {

namespace {

// Which of several commands goes first: the one that can, and of those the oldest. Both in one number,
// because these comparisons are unpredictable and there are many: the cycles to wait above the order.
struct Race {
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

}  // namespace

// ACT-1 or PRE of banks that wait for another row.
// The command is a constant, so that what binds it is known here: this is the innermost function of random traffic.
template <timing::Command command>
inline void FrFcfs::consider_row(const Requests& requests, Priority priority, Candidate& row) const {
  const RequestWindow::BankQueue* queues = window_.queues(requests.direction);
  const std::int64_t* bank_next = state_.bank_next(command);
  const std::int64_t* group_next = state_.group_next(command);
  for (int rank = 0; rank < state_.ranks(); ++rank) {
    std::uint64_t rest = requests.banks & state_.rank_banks(rank);
    const std::int64_t base = std::max(requests.free, state_.earliest_in_rank(command, rank));
    if (!rest || base > row.cycle) continue;
    Race race;
    for (; rest; rest &= rest - 1) {
      const int bank = __builtin_ctzll(rest);
      std::int64_t cycle = std::max(base, bank_next[bank]);
      if (group_next) cycle = std::max(cycle, group_next[state_.bank(bank).group]);
      race.enter(cycle - base, queues[bank].head_order, bank);
    }
    const std::int64_t cycle = std::max(state_.earliest(command, race.bank), requests.free);
    if (cycle > row.cycle) continue;
    const Candidate c{cycle, queues[race.bank].head_order, race.bank, priority, command,
                      false, requests.direction == 1};
    if (c.before(row)) row = c;
  }
}

void FrFcfs::columns(const Requests& hits, Candidate& column, Candidate& row) const {
  const RequestWindow::BankQueue* queues = window_.queues(hits.direction);
  const timing::Command command = hits.direction ? timing::Command::wr : timing::Command::rd;
  const std::int64_t free = hits.free;
  const std::int64_t too_old = memory_.row_cost ? free - memory_.controller.starvation.count() : -kNever;
  const std::int64_t* bank_next = state_.bank_next(command);
  const std::int64_t* group_next = state_.group_next(command);
  Race race;
  for (std::uint64_t banks = hits.banks; banks; banks &= banks - 1) {
    const int bank = __builtin_ctzll(banks);
    const RequestWindow::BankQueue& q = queues[bank];
    if (q.head_arrival < too_old && q.hit != q.head) {
      const Requests own{hits.direction, std::uint64_t{1} << bank, free};
      consider_row<timing::Command::pre>(own, Priority::request, row);
      continue;
    }
    const DramState::Bank& b = state_.bank(bank);
    const std::int64_t in_rank = std::max(free, state_.earliest_rank(command, b.rank));
    race.enter(std::max(in_rank, std::max(bank_next[bank], group_next[b.group])) - free, q.hit_order, bank);
  }
  if (race.bank == kNone) return;
  column.command = command;
  column.bank = race.bank;
  column.write = hits.direction;
  column.cycle = std::max(state_.earliest(command, race.bank), free);
  column.order = queues[race.bank].hit_order;
  column.cas = memory_.wck_sync && column.cycle > state_.rank(state_.bank(race.bank).rank).wck_until;
  if (column.cas && column.cycle == free) ++column.cycle;
}

void FrFcfs::rows(const Requests& misses, Priority priority, std::int64_t limit, Candidate& row) const {
  const auto possible = [&](timing::Command command) {
    return state_.ranks() > 1 || state_.earliest_in_rank(command, 0) <= limit;
  };
  const std::uint64_t closed = misses.banks & ~state_.open(), other_row = misses.banks & state_.open();
  if (closed && possible(timing::Command::act1))
    consider_row<timing::Command::act1>({misses.direction, closed, misses.free}, priority, row);
  if (other_row && possible(timing::Command::pre))
    consider_row<timing::Command::pre>({misses.direction, other_row, misses.free}, priority, row);
}

std::unique_ptr<Scheduler> make_scheduler(const config::Memory& memory, const DramState& state,
                                          const RequestWindow& window) {
  return std::make_unique<FrFcfs>(memory, state, window);
}

}  // namespace edgenpu::hardware
