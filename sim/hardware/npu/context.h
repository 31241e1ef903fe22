// What the units of an NPU share: the program, the scoreboard, the books. Owned by the top; units hold a
// reference.
#pragma once

#include <array>
#include <deque>
#include <systemc>

#include "activity/buckets.h"
#include "activity/counters.h"
#include "activity/ledger.h"
#include "config/npu.h"
#include "hardware/clock_domain.h"
#include "hardware/npu/scoreboard.h"

namespace edgenpu::hardware {

// A bounded queue of command numbers between the command processor and a unit.
struct CommandQueue {
  std::deque<int> commands;
  std::size_t depth = 1;
  sc_core::sc_event space;  // a command left a full queue

  bool full() const { return commands.size() >= depth; }
  void pop() {
    if (full()) space.notify(sc_core::SC_ZERO_TIME);
    commands.pop_front();
  }
};

struct NpuContext {
  NpuContext(const config::Npu& n, const lowering::Program& p, activity::Counters& c, activity::LossLedger& l,
             std::int64_t address)
      : npu(n), program(p), counters(c), ledger(l), scoreboard(p), clock(n.clock), base(address) {
    for (CommandQueue& q : queues) q.depth = static_cast<std::size_t>(n.queue_depth);
  }

  const config::Npu& npu;
  const lowering::Program& program;
  activity::Counters& counters;
  activity::LossLedger& ledger;
  Scoreboard scoreboard;
  ClockDomain clock;
  const std::int64_t base;  // of the program's addresses in memory
  std::array<CommandQueue, lowering::kUnits> queues;
  std::array<sc_core::sc_event, lowering::kUnits> wake;  // something changed for the unit
  sc_core::sc_event progress;                            // a command started or finished
  std::int64_t events = 0;

  CommandQueue& queue(lowering::Unit u) { return queues[static_cast<std::size_t>(u)]; }
  sc_core::sc_event& wake_of(lowering::Unit u) { return wake[static_cast<std::size_t>(u)]; }

  void start(int command) {
    scoreboard.started(command);
    progress.notify(sc_core::SC_ZERO_TIME);
  }
  void finish(int command) {
    const std::uint8_t units = scoreboard.finished(command);
    for (int u = 0; u < lowering::kUnits; ++u)
      if (units >> u & 1U) wake[static_cast<std::size_t>(u)].notify(sc_core::SC_ZERO_TIME);
    progress.notify(sc_core::SC_ZERO_TIME);
  }
  // The command at the head of a unit's queue if it may start; otherwise -1, and the unit is woken when that
  // changes.
  int ready_head(lowering::Unit unit) {
    CommandQueue& q = queue(unit);
    if (q.commands.empty()) return -1;
    const int command = q.commands.front();
    const lowering::Dependency* d = scoreboard.blocker(command);
    if (!d) return command;
    scoreboard.wake_on(d->command, unit);
    return -1;
  }
  // Why a unit that cannot start anything waits.
  activity::Bucket waiting_bucket(lowering::Unit unit) {
    CommandQueue& q = queue(unit);
    if (q.commands.empty()) return activity::Bucket::idle;
    const lowering::Dependency* d = scoreboard.blocker(q.commands.front());
    if (!d) return activity::Bucket::idle;
    if (d->wait == lowering::Wait::space) return activity::Bucket::wait_space;
    const lowering::Unit source = program.commands[static_cast<std::size_t>(d->command)].unit;
    return source == lowering::Unit::load ? activity::Bucket::wait_data : activity::Bucket::wait_dependency;
  }
};

}  // namespace edgenpu::hardware
