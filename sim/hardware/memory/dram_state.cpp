#include "hardware/memory/dram_state.h"

#include <algorithm>

namespace edgenpu::hardware {

DramState::DramState(const config::Memory& m)
    : banks_(static_cast<std::size_t>(m.ranks * m.banks())),
      ranks_(static_cast<std::size_t>(m.ranks)),
      wck_read_((m.t.RL + m.t.BL + m.t.tWCKPST).count()),
      wck_write_((m.t.WL + m.t.BL + m.t.tWCKPST).count()),
      refresh_all_(m.t.tRFCab.count()),
      refresh_bank_(m.t.tRFCpb.count()),
      two_activates_(m.slots.act2 > 0),
      banks_per_rank_(m.banks()) {
  const timing::RuleTable rules(timing::timing_rules(m));
  four_activates_ = rules.four_activates;
  for (std::size_t c = 0; c < timing::kCommands; ++c)
    for (const timing::Bound& b : rules.after[c])
      bounds_[c][static_cast<std::size_t>(b.level)].push_back({static_cast<std::size_t>(b.after), b.latency});
  for (auto& next : bank_next_) next.resize(banks_.size());
  for (auto& next : group_next_) next.resize(static_cast<std::size_t>(m.ranks * m.bank_groups));
  for (const Command c : {Command::rd, Command::wr}) group_binds_[static_cast<std::size_t>(c)] = true;
  group_binds_[static_cast<std::size_t>(Command::act1)] = m.t.tRRD_L > m.t.tRRD_S;
  for (std::size_t i = 0; i < banks_.size(); ++i) {
    banks_[i].group = static_cast<std::int32_t>(i) / m.banks_per_group;
    banks_[i].rank = static_cast<std::int32_t>(i) / m.banks();
  }
  for (Rank& r : ranks_) r.activates.fill(-four_activates_);
}

void DramState::issue(Command command, int index, std::int64_t cycle, std::int64_t row) {
  Bank& bank = banks_[static_cast<std::size_t>(index)];
  const auto& levels = bounds_[static_cast<std::size_t>(command)];
  const auto raise = [cycle](std::int64_t& next, std::int64_t latency) {
    next = std::max(next, cycle + latency);
  };
  for (const Bound& b : levels[0]) raise(bank_next_[b.after][static_cast<std::size_t>(index)], b.latency);
  for (const Bound& b : levels[1])
    raise(group_next_[b.after][static_cast<std::size_t>(bank.group)], b.latency);
  for (const Bound& b : levels[2])
    raise(ranks_[static_cast<std::size_t>(bank.rank)].next[b.after], b.latency);
  for (const Bound& b : levels[3])
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      if (static_cast<std::int32_t>(r) != bank.rank) raise(ranks_[r].next[b.after], b.latency);
  change_state(command, bank, cycle, row);
}

void DramState::change_state(Command command, Bank& bank, std::int64_t cycle, std::int64_t row) {
  Rank& rank = ranks_[static_cast<std::size_t>(bank.rank)];
  switch (command) {
    case Command::act1:
      rank.activates[static_cast<std::size_t>(rank.oldest)] = cycle;
      rank.oldest = (rank.oldest + 1) % 4;
      if (rank.open_banks++ == 0) rank.open_since = cycle;
      bank.row = row;
      bank.opened_at = cycle;
      bank.activating = two_activates_;
      break;
    case Command::act2:
      bank.activating = false;
      break;
    case Command::pre:
      if (--rank.open_banks == 0) stop_open_time(rank, cycle);
      bank.row = kClosed;
      break;
    case Command::pre_all:
      close_all(bank.rank, cycle);
      break;
    case Command::rd:
    case Command::wr:
      bank.last_column = std::max(bank.last_column, cycle);
      rank.wck_until = std::max(rank.wck_until, cycle + (command == Command::rd ? wck_read_ : wck_write_));
      break;
    case Command::ref_all:
      rank.refresh_end = cycle + refresh_all_;
      break;
    case Command::ref_bank:
      bank.refresh_end = cycle + refresh_bank_;
      break;
  }
}

void DramState::close_all(int index, std::int64_t cycle) {
  for (Bank& b : banks_)
    if (b.rank == index) b.row = kClosed;
  Rank& rank = ranks_[static_cast<std::size_t>(index)];
  if (rank.open_banks > 0) stop_open_time(rank, cycle);
  rank.open_banks = 0;
}

void DramState::stop_open_time(Rank& rank, std::int64_t cycle) {
  rank.open_time += std::max<std::int64_t>(0, cycle - rank.open_since);
}

}  // namespace edgenpu::hardware
