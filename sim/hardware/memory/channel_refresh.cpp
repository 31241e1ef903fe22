// Refresh of a channel: when one falls due, which bank it takes, and how far it may be put off.
#include <algorithm>

#include "hardware/memory/channel.h"

namespace edgenpu::hardware {

namespace {

constexpr std::uint64_t bits(int from, int n) {
  return ((std::uint64_t{1} << (n - 1) << 1) - 1) << from;
}

}  // namespace

void Channel::update_next_due() {
  next_due_ = kNever;
  for (const RankRefresh& r : refresh_) next_due_ = std::min(next_due_, r.due);
}

void Channel::refresh_falls_due(std::int64_t cycle) {
  const bool bank = memory_.refresh == config::RefreshMode::pb;
  for (RankRefresh& r : refresh_) {
    if (r.due > cycle) continue;
    ++r.owed;
    r.due += (bank ? memory_.t.tREFIpb : memory_.t.tREFI).count();
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
    const std::uint64_t mine = bits(first, state_.banks_per_rank());
    const std::uint64_t wanted = waiting_[0] | waiting_[1];
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
  const std::uint64_t mine = bits(first, state_.banks_per_rank());
  const activity::OperatorId op = meter_.serving();
  emit(c.command, c.bank, c.cycle, kClosed, 0);
  state_.issue(c.command, c.bank, c.cycle);
  if (c.command == Command::pre_all) {
    meter_.count(meter_.ids().precharge, op, __builtin_popcountll(open_ & mine));
    open_ &= ~mine;
    for (int b = first; b < first + state_.banks_per_rank(); ++b) find_hits(b);
    return;
  }
  --r.owed;
  if (c.command == Command::ref_all) {
    meter_.count(meter_.ids().refresh_ab, op);
    const bool more =
        r.owed > 0 && (!((waiting_[0] | waiting_[1]) & mine) || r.owed > memory_.controller.postpone);
    r.active = more;
    if (!more) blocked_ &= ~mine;
    return;
  }
  meter_.count(meter_.ids().refresh_pb, op);
  blocked_ &= ~(std::uint64_t{1} << c.bank);
  r.target = kNone;
  r.round &= ~(std::uint64_t{1} << (c.bank - first));
  if (r.round == 0) r.round = bits(0, state_.banks_per_rank());
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
        find_hits(bank);
      }
      r.due += memory_.t.tREFIpb.count();
      ++r.owed;
      refreshed(
          {std::max(at, state_.earliest(Command::ref_bank, bank)), 0, bank, 0, Command::ref_bank, false});
    }
  }
  update_next_due();
}

}  // namespace edgenpu::hardware
