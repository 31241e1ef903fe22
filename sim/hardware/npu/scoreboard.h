// The command processor's scoreboard: which commands have been issued, run and finished, who waits for whom,
// and who is to blame when the memory has nothing to do.
//
// Model: a completion flag per command, visible to all units at once. Left out: the wires' delay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "activity/ledger.h"
#include "lowering/program.h"

namespace edgenpu::hardware {

class Scoreboard {
 public:
  explicit Scoreboard(const lowering::Program& program);

  // The first dependency that has not finished; nullptr if the command may start.
  const lowering::Dependency* blocker(int command);

  // `unit` wants to be woken when `command` finishes.
  void wake_on(int command, lowering::Unit unit) {
    waiters_[static_cast<std::size_t>(command)] |= static_cast<std::uint8_t>(1U << static_cast<int>(unit));
  }

  void queued(int command);
  void started(int command);
  // Returns the units to wake, one bit each.
  std::uint8_t finished(int command);

  bool all_finished() const { return finished_ == static_cast<int>(state_.size()); }
  int finished_count() const { return finished_; }
  // The first command of a unit that has not finished; -1 if all have.
  int head(lowering::Unit unit) const;
  // The first command of the program that has not finished; -1 if all have.
  int oldest_unfinished();

  struct Blame {
    activity::Loss loss;
    activity::OperatorId op;
  };
  // What `command`, which cannot start, is ultimately waiting for: follows dependencies and queues to a unit
  // that is working (compute, or queueing if that unit moves data, or cores), to a command that was not
  // issued yet (issue), or to an order that the program imposes (dependency).
  Blame blame(int command);

  // One line per unit: what runs, what waits for what.
  std::string describe();

 private:
  enum class State : std::uint8_t { pending, queued, running, done };
  // The command that stands before `command` in its unit's queue, or runs there; -1 if it is the head of a
  // free unit.
  int ahead_of(int command) const;

  const lowering::Program& program_;
  std::vector<State> state_;
  std::vector<std::uint8_t> waiters_;
  std::vector<std::int32_t> checked_;  // dependencies known to be finished
  // Per unit: commands in order of issue are commands in program order, so the oldest unfinished one heads
  // it.
  std::vector<std::vector<std::int32_t>> by_unit_;
  std::vector<std::size_t> head_;
  int finished_ = 0;
  int oldest_ = 0;
};

}  // namespace edgenpu::hardware
