// The state of the DRAM devices of one channel, as a controller must know it: which rows are open, and the
// first cycle at which each bank, bank group and rank may take each command. All times in command clocks (CK)
// from 0.
//
// The times come from the rule table (timing/dram_timing.h) and nowhere else. issue() trusts its caller:
// whether a command was allowed is the independent checker's business (dram_checker.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "config/memory.h"
#include "timing/dram_timing.h"

namespace edgenpu::hardware {

inline constexpr std::int64_t kNever = INT64_MAX / 4;
inline constexpr std::int64_t kClosed = -1;

class DramState {
 public:
  explicit DramState(const config::Memory& memory);
  DramState(const DramState&) = delete;
  DramState& operator=(const DramState&) = delete;

  using Command = timing::Command;

  struct Bank {
    std::int64_t row = kClosed;
    std::int64_t opened_at = 0;  // ACT-1
    std::int64_t last_column = 0;
    std::int64_t refresh_end = 0;  // of its last per-bank refresh
    std::int32_t group = 0, rank = 0;

    std::int64_t last_use() const { return std::max(last_column, opened_at); }
  };
  struct Rank {
    std::array<std::int64_t, timing::kCommands> next{};
    std::array<std::int64_t, 4> activates{};  // the last four ACT-1, oldest at `oldest`
    int oldest = 0;
    int open_banks = 0;
    std::int64_t wck_until = -1;
    std::int64_t refresh_end = 0;                // of the last all-bank refresh
    std::int64_t open_since = 0, open_time = 0;  // with at least one row open; open_time up to open_since
  };

  std::int64_t earliest(Command command, int bank) const {
    const Bank& b = banks_[static_cast<std::size_t>(bank)];
    const auto c = static_cast<std::size_t>(command);
    const std::int64_t t = std::max(bank_next_[c][static_cast<std::size_t>(bank)],
                                    group_next_[c][static_cast<std::size_t>(b.group)]);
    return std::max(t, earliest_in_rank(command, b.rank));
  }
  // What the rules of the bank alone allow, an array over banks; the same over bank groups, or nullptr if
  // none of their rules can bind.
  const std::int64_t* bank_next(Command command) const {
    return bank_next_[static_cast<std::size_t>(command)].data();
  }
  const std::int64_t* group_next(Command command) const {
    return group_binds_[static_cast<std::size_t>(command)]
               ? group_next_[static_cast<std::size_t>(command)].data()
               : nullptr;
  }
  // What the rank alone allows: no bank of it can come earlier.
  std::int64_t earliest_in_rank(Command command, int rank) const {
    const Rank& r = ranks_[static_cast<std::size_t>(rank)];
    std::int64_t t = r.next[static_cast<std::size_t>(command)];
    if (command == Command::act1)
      t = std::max(t, r.activates[static_cast<std::size_t>(r.oldest)] + four_activates_);
    return t;
  }
  // For commands to a whole rank.
  std::int64_t earliest_rank(Command command, int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].next[static_cast<std::size_t>(command)];
  }

  // `bank` is any bank of the rank for commands to a whole rank. `row` matters to ACT-1 only.
  void issue(Command command, int bank, std::int64_t cycle, std::int64_t row = kClosed) {
    issue_in_bank(command, bank, cycle, row);
    issue_in_rank(command, bank, cycle);
  }
  // The two halves: what a command forbids in its bank and bank group, with the change of state; and in its
  // rank and the others. Of several commands of one kind to a rank, the last one is enough for the second.
  void issue_in_bank(Command command, int bank, std::int64_t cycle, std::int64_t row = kClosed);
  void issue_in_rank(Command command, int bank, std::int64_t cycle);

  // Cycles up to `end` in which the rank had a row open.
  std::int64_t open_time(int rank, std::int64_t end) const {
    const Rank& r = ranks_[static_cast<std::size_t>(rank)];
    return r.open_time + (r.open_banks > 0 ? std::max<std::int64_t>(0, end - r.open_since) : 0);
  }

  const Bank& bank(int i) const { return banks_[static_cast<std::size_t>(i)]; }
  const Rank& rank(int i) const { return ranks_[static_cast<std::size_t>(i)]; }
  int banks() const { return static_cast<int>(banks_.size()); }
  int ranks() const { return static_cast<int>(ranks_.size()); }
  int banks_per_rank() const { return banks_per_rank_; }
  // Masks with a bit per bank, of at most 64: with an open row, between ACT-1 and ACT-2, of one rank.
  std::uint64_t open() const { return open_; }
  std::uint64_t activating() const { return activating_; }
  std::uint64_t rank_banks(int rank) const {
    return ((std::uint64_t{1} << (banks_per_rank_ - 1) << 1) - 1) << (rank * banks_per_rank_);
  }
  // ACT-1 to a column command.
  std::int64_t row_to_column() const { return row_to_column_; }

 private:
  void change_state(Command command, int bank, std::int64_t cycle, std::int64_t row);
  void close_all(int rank, std::int64_t cycle);
  static void stop_open_time(Rank& rank, std::int64_t cycle);

  std::vector<Bank> banks_;
  std::array<std::vector<std::int64_t>, timing::kCommands> bank_next_, group_next_;
  std::array<bool, timing::kCommands> group_binds_{};
  std::vector<Rank> ranks_;
  std::uint64_t open_ = 0, activating_ = 0;
  // What each command forbids: `next` is an array over banks, over groups, or (for ranks) over commands.
  struct Bound {
    std::int64_t* next;
    std::int64_t latency;
  };
  struct RankBound {
    std::size_t after;
    std::int64_t latency;
  };
  struct Bounds {
    std::vector<Bound> bank, group;
    std::vector<RankBound> rank, other_ranks;
  };
  void add_bound(Bounds& to, const timing::Bound& b);
  std::array<Bounds, timing::kCommands> bounds_;
  std::int64_t four_activates_ = 0, row_to_column_ = 0, wck_read_, wck_write_, refresh_all_, refresh_bank_;
  bool two_activates_;
  int banks_per_rank_;
};

// In the header: most callers know the command, and these are the innermost functions of a run.
inline void DramState::change_state(Command command, int index, std::int64_t cycle, std::int64_t row) {
  Bank& bank = banks_[static_cast<std::size_t>(index)];
  const std::uint64_t bit = std::uint64_t{1} << index;
  Rank& rank = ranks_[static_cast<std::size_t>(bank.rank)];
  switch (command) {
    case Command::act1:
      rank.activates[static_cast<std::size_t>(rank.oldest)] = cycle;
      rank.oldest = (rank.oldest + 1) % 4;
      if (rank.open_banks++ == 0) rank.open_since = cycle;
      bank.row = row;
      bank.opened_at = cycle;
      open_ |= bit;
      if (two_activates_) activating_ |= bit;
      break;
    case Command::act2:
      activating_ &= ~bit;
      break;
    case Command::pre:
      if (--rank.open_banks == 0) stop_open_time(rank, cycle);
      bank.row = kClosed;
      open_ &= ~bit;
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

inline void DramState::issue_in_bank(Command command, int index, std::int64_t cycle, std::int64_t row) {
  const Bank& bank = banks_[static_cast<std::size_t>(index)];
  const Bounds& bounds = bounds_[static_cast<std::size_t>(command)];
  for (const Bound& b : bounds.bank) b.next[index] = std::max(b.next[index], cycle + b.latency);
  for (const Bound& b : bounds.group) b.next[bank.group] = std::max(b.next[bank.group], cycle + b.latency);
  change_state(command, index, cycle, row);
}

}  // namespace edgenpu::hardware
