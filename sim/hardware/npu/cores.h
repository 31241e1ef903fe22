// The chip's CPU as the NPU uses it: cores that take over operators that are placed on them.
//
// Law. Commands start in order, one at a time. Before the first of several commands in a row that belong to
// one operator the command processor hands the operator over, behind the last one the cores hand it back:
// `handover` each. In it lie the interrupt, the wake-up of the cores, the handler up to the operator's first
// instruction, and on the way back the flag or the doorbell write that the scoreboard sees; the cores do
// nothing else meanwhile. In between the cores poll the completion flags, which costs nothing but their
// cycles. A command takes the longest of
//   lanes   ceil(operations / (cores x lanes)) cycles of the cores' clock, from its next edge on
//   access  latency + bytes read and written / (cores x outstanding x line / latency): the accesses that the
//           cores can have in flight; nothing if it moves no bytes
//   wires   the interconnect, in the direction of stores for what they read and of loads for what they write,
//           and the scratchpad's ports behind it
// The work of a command spreads evenly over all cores and lanes.
//
// Values stay in the scratchpad, which the cores map as memory that is not cached: so no cache has to be
// cleaned or invalidated, and operators before and behind find their operands where they always are. What
// comes from DRAM (weights, spilled values) comes through the DMA's rings, as for the engines.
//
// Stalls as the other units do: busy from a hand-over's begin to its end and while a command runs. Left out:
// barriers between the cores within a command; caches and branches; other programs on the cores; frequency
// that follows load. Counters: core_cycles (of all cores while they are awake: from the beginning of an
// operator's first hand-over to the end of its last, polling included; billable), cpu_handovers, macs,
// interconnect_B.
#pragma once

#include <systemc>

#include "hardware/npu/context.h"
#include "hardware/npu/interconnect.h"
#include "hardware/npu/scratchpad.h"

namespace edgenpu::hardware {

class Cores : public sc_core::sc_module {
 public:
  Cores(sc_core::sc_module_name name, NpuContext& context, Scratchpad& scratchpad,
        Interconnect& interconnect);
  activity::BucketClock& buckets() { return buckets_; }
  const activity::BucketClock& buckets() const { return buckets_; }

  bool busy() const { return phase_ != Phase::free; }
  // Of what is in progress: for the ledger.
  Scoreboard::Blame blame() const;

 private:
  enum class Phase { free, to_cores, working, back };

  void run();
  bool next_phase(Femtoseconds now);
  void take(int command, Femtoseconds now);
  void enter(Phase phase, Femtoseconds until);
  Femtoseconds end_of_work(Femtoseconds now);
  void finish(Femtoseconds now);
  const lowering::CoresWork& work() const;
  activity::OperatorId op() const;

  NpuContext& context_;
  const config::Cores& cores_;
  Scratchpad& scratchpad_;
  Interconnect& interconnect_;
  ClockDomain clock_;
  activity::BucketClock buckets_;
  activity::CounterId cycles_, handovers_, macs_, interconnect_B_;
  Phase phase_ = Phase::free;
  int command_ = -1;
  Femtoseconds until_{0};  // of the phase
  Femtoseconds awake_{0};  // from here on the cores' cycles are not counted yet
  sc_core::sc_event due_;
};

}  // namespace edgenpu::hardware
