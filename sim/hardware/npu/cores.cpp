#include "hardware/npu/cores.h"

#include <algorithm>

namespace edgenpu::hardware {

using lowering::Unit;

Cores::Cores(sc_core::sc_module_name name, NpuContext& context, Scratchpad& scratchpad,
             Interconnect& interconnect)
    : sc_module(name),
      context_(context),
      cores_(*context.npu.cores),
      scratchpad_(scratchpad),
      interconnect_(interconnect),
      clock_(context.npu.cores->clock),
      buckets_(context.program.operators) {
  activity::Counters& c = context.counters;
  cycles_ = c.declare({"core_cycles", "cycles", "cycles of the CPU's cores while they are awake", true});
  handovers_ = c.declare({"cpu_handovers", "hand-overs", "operators handed to the CPU or back", false});
  macs_ = c.declare({"macs", "MACs", "products of all kinds", false});
  interconnect_B_ =
      c.declare({"interconnect_B", "bytes", "bytes carried between memory controllers and scratchpad", true});
  SC_HAS_PROCESS(Cores);
  SC_METHOD(run);
  sensitive << context.wake_of(Unit::cores) << due_;
}

const lowering::CoresWork& Cores::work() const {
  const lowering::Command& c = context_.program.commands[static_cast<std::size_t>(command_)];
  return context_.program.cores[static_cast<std::size_t>(c.work)];
}

activity::OperatorId Cores::op() const {
  return context_.program.commands[static_cast<std::size_t>(command_)].op;
}

Scoreboard::Blame Cores::blame() const {
  return {phase_ == Phase::working ? activity::Loss::cores : activity::Loss::handover, op()};
}

void Cores::enter(Phase phase, Femtoseconds until) {
  phase_ = phase;
  until_ = until;
  due_.notify(to_sc(until - now_fs()));
  // What the memory waits for has changed.
  context_.progress.notify(sc_core::SC_ZERO_TIME);
}

void Cores::take(int command, Femtoseconds now) {
  context_.queue(Unit::cores).pop();
  context_.start(command);
  command_ = command;
  buckets_.enter(activity::Bucket::busy, now);
  if (!work().opens) return enter(Phase::working, end_of_work(now));
  awake_ = now;
  context_.counters.add(op(), handovers_, 1);
  enter(Phase::to_cores, now + cores_.handover);
}

Femtoseconds Cores::end_of_work(Femtoseconds now) {
  const lowering::CoresWork& w = work();
  context_.counters.add(op(), macs_, w.products);
  Femtoseconds end = clock_.after(now, Cycles(ceil_div(w.operations, cores_.all_lanes())));
  const Bytes moved = w.read + w.written;
  if (moved == Bytes(0)) return end;
  end = std::max(end, now + cores_.latency + time_of(moved, cores_.rate()));
  end = std::max({end, interconnect_.reserve(Unit::store, now, w.read),
                  interconnect_.reserve(Unit::load, now, w.written),
                  scratchpad_.read(Unit::store, now, w.read, op()),
                  scratchpad_.write(Unit::load, now, w.written, op())});
  context_.counters.add_over(op(), interconnect_B_, moved.count(), now, end);
  return end;
}

void Cores::finish(Femtoseconds now) {
  const auto cycle = [this](Femtoseconds t) { return cycle_at_or_after(t, cores_.clock).count(); };
  context_.counters.add_over(op(), cycles_, (cycle(now) - cycle(awake_)) * cores_.cores, awake_, now);
  awake_ = now;
  phase_ = Phase::free;
  context_.finish(command_);
}

// The phase that follows the one that ends now; false if none does.
bool Cores::next_phase(Femtoseconds now) {
  if (phase_ == Phase::to_cores) {
    enter(Phase::working, end_of_work(now));
    return true;
  }
  if (phase_ == Phase::working && work().closes) {
    context_.counters.add(op(), handovers_, 1);
    enter(Phase::back, now + cores_.handover);
    return true;
  }
  finish(now);
  return false;
}

void Cores::run() {
  ++context_.events;
  const Femtoseconds now = now_fs();
  while (busy() && until_ <= now)
    if (!next_phase(now)) break;
  if (busy()) return;
  const int command = context_.ready_head(Unit::cores);
  if (command >= 0) return take(command, now);
  buckets_.enter(context_.waiting_bucket(Unit::cores), now);
}

}  // namespace edgenpu::hardware
