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

  using Command = timing::Command;

  struct Bank {
    std::int64_t row = kClosed;
    std::int64_t opened_at = 0;  // ACT-1
    std::int64_t last_column = 0;
    std::int64_t refresh_end = 0;  // of its last per-bank refresh
    std::int32_t group = 0, rank = 0;
    bool activating = false;  // between ACT-1 and ACT-2
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
  void issue(Command command, int bank, std::int64_t cycle, std::int64_t row = kClosed);

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

 private:
  void change_state(Command command, Bank& bank, std::int64_t cycle, std::int64_t row);
  void close_all(int rank, std::int64_t cycle);
  static void stop_open_time(Rank& rank, std::int64_t cycle);

  std::vector<Bank> banks_;
  std::array<std::vector<std::int64_t>, timing::kCommands> bank_next_, group_next_;
  std::array<bool, timing::kCommands> group_binds_{};
  std::vector<Rank> ranks_;
  // What each command forbids, by level.
  struct Bound {
    std::size_t after;
    std::int64_t latency;
  };
  std::array<std::array<std::vector<Bound>, timing::kLevels>, timing::kCommands> bounds_;
  std::int64_t four_activates_ = 0, wck_read_, wck_write_, refresh_all_, refresh_bank_;
  bool two_activates_;
  int banks_per_rank_;
};

}  // namespace edgenpu::hardware
