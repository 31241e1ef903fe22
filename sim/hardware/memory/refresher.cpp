#include "hardware/memory/refresher.h"

#include <algorithm>
#include <limits>

namespace edgenpu::hardware {

Refresher::Refresher(const config::Memory& memory, const DramState& state)
    : memory_(memory), state_(state), schedule_(memory), ranks_(static_cast<std::size_t>(state.ranks())) {
  for (int i = 0; i < state_.ranks(); ++i) {
    if (!schedule_.never()) expect(i, 0);
    ranks_[static_cast<std::size_t>(i)].round = state_.rank_banks(0);
  }
  update_next_due();
}

void Refresher::expect(int rank, std::int64_t number) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.next = number;
  r.due = schedule_.due(rank, number);
}

void Refresher::update_next_due() {
  next_due_ = kNever;
  for (const Rank& r : ranks_) next_due_ = std::min(next_due_, r.due);
}

void Refresher::owe_next(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  ++r.owed;
  ++owed_;
  expect(rank, r.next + 1);
  update_next_due();
}

void Refresher::fall_due(std::int64_t cycle) {
  for (int i = 0; i < state_.ranks(); ++i)
    if (due(i) <= cycle) owe_next(i);
}

int Refresher::choose_bank(int rank, std::uint64_t avoid, bool forced) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const std::uint64_t round = r.round << (rank * state_.banks_per_rank());
  const std::uint64_t idle = round & ~avoid;
  if (idle) return __builtin_ctzll(idle);
  return forced ? __builtin_ctzll(round) : kNone;
}

Candidate Refresher::propose(std::uint64_t wanted, std::int64_t free) {
  Candidate next;
  for (int i = 0; i < state_.ranks(); ++i) {
    if (ranks_[static_cast<std::size_t>(i)].owed == 0) continue;
    Candidate c;
    c.order = -1;
    if (!(per_bank() ? propose_bank(i, wanted, c) : propose_all(i, wanted, c))) continue;
    c.cycle = std::max(c.cycle, free);
    if (c.cycle <= next.cycle) next = c;
  }
  return next;
}

bool Refresher::propose_all(int rank, std::uint64_t wanted, Candidate& c) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const std::uint64_t mine = state_.rank_banks(rank);
  if (!r.draining) {
    if ((wanted & mine) && r.owed <= memory_.controller.postpone) return false;
    r.draining = true;
    blocked_ |= mine;
  }
  if (state_.activating() & mine) return false;  // ACT-2 first
  c.bank = rank * state_.banks_per_rank();
  c.command = state_.open() & mine ? timing::Command::pre_all : timing::Command::ref_all;
  c.cycle = state_.earliest_rank(c.command, rank);
  return true;
}

bool Refresher::propose_bank(int rank, std::uint64_t wanted, Candidate& c) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.target == kNone) {
    r.target = choose_bank(rank, wanted, r.owed > memory_.controller.postpone);
    if (r.target == kNone) return false;
    blocked_ |= std::uint64_t{1} << r.target;
  }
  const std::uint64_t bit = std::uint64_t{1} << r.target;
  if (state_.activating() & bit) return false;
  c.bank = r.target;
  c.command = state_.open() & bit ? timing::Command::pre : timing::Command::ref_bank;
  c.cycle = state_.earliest(c.command, r.target);
  return true;
}

void Refresher::done(timing::Command command, int bank, std::uint64_t wanted) {
  const int rank = state_.bank(bank).rank;
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  --r.owed;
  --owed_;
  ++without_data_;
  if (command == timing::Command::ref_all) {
    const std::uint64_t mine = state_.rank_banks(rank);
    r.draining = r.owed > 0 && (!(wanted & mine) || r.owed > memory_.controller.postpone);
    if (!r.draining) blocked_ &= ~mine;
    return;
  }
  blocked_ &= ~(std::uint64_t{1} << bank);
  r.target = kNone;
  r.round &= ~(std::uint64_t{1} << (bank - rank * state_.banks_per_rank()));
  if (r.round == 0) r.round = state_.rank_banks(0);
}

std::int64_t Refresher::due_between(std::int64_t from, std::int64_t to) const {
  std::int64_t n = 0;
  for (int i = 0; i < state_.ranks(); ++i) {
    const std::int64_t first =
        std::max(ranks_[static_cast<std::size_t>(i)].next, schedule_.until(i, from - 1));
    n += std::max<std::int64_t>(0, schedule_.until(i, to) - first);
  }
  return n;
}

std::int64_t Refresher::in_whole_rounds(std::int64_t end) const {
  std::int64_t n = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < state_.ranks(); ++i)
    n = std::min(n, schedule_.until(i, end) - ranks_[static_cast<std::size_t>(i)].next);
  return n / round() * round();
}

void Refresher::skip(int rank, std::int64_t n) {
  expect(rank, ranks_[static_cast<std::size_t>(rank)].next + n);
  update_next_due();
}

void Refresher::skip_until(std::int64_t cycle) {
  for (int i = 0; i < state_.ranks(); ++i)
    if (due(i) <= cycle) expect(i, schedule_.until(i, cycle));
  update_next_due();
}

}  // namespace edgenpu::hardware
