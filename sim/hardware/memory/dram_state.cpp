#include "hardware/memory/dram_state.h"

#include <algorithm>

namespace edgenpu::hardware {

namespace {

// A rule of the group or the rank that is as strict says it already: earliest() takes the latest of the
// three.
bool implied(const timing::Bound& b, const std::vector<timing::Bound>& all) {
  if (b.level == timing::Level::other_ranks) return false;
  return std::any_of(all.begin(), all.end(), [&](const timing::Bound& wider) {
    return wider.level != timing::Level::other_ranks && wider.level > b.level && wider.after == b.after &&
           wider.latency >= b.latency;
  });
}

}  // namespace

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
  row_to_column_ = m.t.tRCD.count() + m.slots.act1 + m.slots.act2 - m.slots.column;
  for (auto& next : bank_next_) next.resize(banks_.size());
  for (auto& next : group_next_) next.resize(static_cast<std::size_t>(m.ranks * m.bank_groups));
  for (const Command c : {Command::rd, Command::wr}) group_binds_[static_cast<std::size_t>(c)] = true;
  group_binds_[static_cast<std::size_t>(Command::act1)] = m.t.tRRD_L > m.t.tRRD_S;
  for (std::size_t i = 0; i < banks_.size(); ++i) {
    banks_[i].group = static_cast<std::int32_t>(i) / m.banks_per_group;
    banks_[i].rank = static_cast<std::int32_t>(i) / m.banks();
  }
  for (std::size_t c = 0; c < timing::kCommands; ++c)
    for (const timing::Bound& b : rules.after[c])
      if (!implied(b, rules.after[c])) add_bound(bounds_[c], b);
  for (Rank& r : ranks_) r.activates.fill(-four_activates_);
}

void DramState::add_bound(Bounds& to, const timing::Bound& b) {
  const auto after = static_cast<std::size_t>(b.after);
  switch (b.level) {
    case timing::Level::bank:
      to.bank.push_back({bank_next_[after].data(), b.latency});
      break;
    case timing::Level::group:
      to.group.push_back({group_next_[after].data(), b.latency});
      break;
    case timing::Level::rank:
      to.rank.push_back({after, b.latency});
      break;
    case timing::Level::other_ranks:
      to.other_ranks.push_back({after, b.latency});
      break;
  }
}

void DramState::issue_in_rank(Command command, int index, std::int64_t cycle) {
  const std::int32_t rank = banks_[static_cast<std::size_t>(index)].rank;
  const Bounds& bounds = bounds_[static_cast<std::size_t>(command)];
  const auto raise = [cycle](Rank& r, const RankBound& b) {
    r.next[b.after] = std::max(r.next[b.after], cycle + b.latency);
  };
  for (const RankBound& b : bounds.rank) raise(ranks_[static_cast<std::size_t>(rank)], b);
  if (ranks_.size() == 1) return;
  for (const RankBound& b : bounds.other_ranks)
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      if (static_cast<std::int32_t>(r) != rank) raise(ranks_[r], b);
}

void DramState::close_all(int index, std::int64_t cycle) {
  for (Bank& b : banks_)
    if (b.rank == index) b.row = kClosed;
  open_ &= ~rank_banks(index);
  Rank& rank = ranks_[static_cast<std::size_t>(index)];
  if (rank.open_banks > 0) stop_open_time(rank, cycle);
  rank.open_banks = 0;
}

void DramState::stop_open_time(Rank& rank, std::int64_t cycle) {
  rank.open_time += std::max<std::int64_t>(0, cycle - rank.open_since);
}

}  // namespace edgenpu::hardware
