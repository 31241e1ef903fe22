// The refresh duty of a channel: when refreshes fall due, how many are owed, and which banks stand still for one.
//
// One a rank falls due each tREFI, or one bank's each tREFIpb (timing/refresh.h). What is owed is proposed at once,
// unless up to controller.postpone are put off: all-bank while something wants the rank, per-bank while something
// wants every bank of the round. From then on the rank (all-bank) or the bank is blocked: it is closed, then
// refreshed. A round of per-bank refreshes takes each bank of the rank once; an idle one of those left goes first.
//
// It sends nothing: the channel sends what propose() names, and says done(). Masks have a bit per bank.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/memory/candidate.h"
#include "hardware/memory/dram_state.h"
#include "timing/refresh.h"

namespace edgenpu::hardware {

class Refresher {
 public:
  // `memory` and `state` outlive it.
  Refresher(const config::Memory& memory, const DramState& state);

  bool per_bank() const { return memory_.refresh == config::RefreshMode::pb; }
  // Of any rank, of one: the cycle in which the next one falls due.
  std::int64_t next_due() const { return next_due_; }
  std::int64_t due(int rank) const { return ranks_[static_cast<std::size_t>(rank)].due; }
  std::int64_t owed() const { return owed_; }
  std::uint64_t blocked() const { return blocked_; }
  // The whole rank stands still.
  bool draining(int rank) const { return ranks_[static_cast<std::size_t>(rank)].draining; }

  // What is due by `cycle` is owed; of one rank, the next one is.
  void fall_due(std::int64_t cycle);
  void owe_next(int rank);
  // The next command of all that is owed, from `free` on; requests wait for the banks `wanted`.
  Candidate propose(std::uint64_t wanted, std::int64_t free);
  // A refresh command to the rank of `bank`, or to it alone, has been sent.
  void done(timing::Command command, int bank, std::uint64_t wanted);
  // The bank of the round to refresh next: an idle one if there is one; else the first, if it is `forced`.
  int choose_bank(int rank, std::uint64_t avoid, bool forced) const;

  // Refreshes done since data_moved().
  std::int64_t without_data() const { return without_data_; }
  void data_moved() { without_data_ = 0; }

  // How many fall due from `from` to `to`, both included, of those that have not yet.
  std::int64_t due_between(std::int64_t from, std::int64_t to) const;
  // Whole rounds of refreshes that fall due in every rank up to `end`, as refreshes of a rank.
  std::int64_t in_whole_rounds(std::int64_t end) const;
  std::int64_t round() const { return per_bank() ? state_.banks_per_rank() : 1; }
  // The next `n` of a rank have been done; or all that were due by `cycle`, by the devices themselves.
  void skip(int rank, std::int64_t n);
  void skip_until(std::int64_t cycle);

 private:
  struct Rank {
    std::int64_t due = kNever, next = 0;  // the next one: when, and its number
    std::int64_t owed = 0;
    bool draining = false;    // all-bank
    int target = kNone;       // per-bank
    std::uint64_t round = 0;  // banks of the rank still to be refreshed in this round
  };

  bool propose_all(int rank, std::uint64_t wanted, Candidate& c);
  bool propose_bank(int rank, std::uint64_t wanted, Candidate& c);
  void expect(int rank, std::int64_t number);
  void update_next_due();

  const config::Memory& memory_;
  const DramState& state_;
  timing::RefreshSchedule schedule_;
  std::vector<Rank> ranks_;
  std::int64_t next_due_ = kNever;
  std::int64_t owed_ = 0;  // by all ranks
  std::uint64_t blocked_ = 0;
  std::int64_t without_data_ = 0;
};

}  // namespace edgenpu::hardware
