#include "hardware/npu/vector_engine.h"

#include <algorithm>

#include "timing/unit_cycles.h"

namespace edgenpu::hardware {

using lowering::Unit;

VectorEngine::VectorEngine(sc_core::sc_module_name name, NpuContext& context, Scratchpad& scratchpad)
    : sc_module(name),
      context_(context),
      scratchpad_(scratchpad),
      buckets_(context.program.operators),
      operations_(context.counters.declare(
          {"vector_fma", "operations", "lane operations of the vector engine in fp32", true})) {
  SC_HAS_PROCESS(VectorEngine);
  SC_METHOD(run);
  sensitive << context.wake_of(Unit::vector) << free_;
}

void VectorEngine::start(int command, Femtoseconds now) {
  context_.queue(Unit::vector).pop();
  context_.start(command);
  running_ = command;
  buckets_.enter(activity::Bucket::busy, now);
  const lowering::Command& c = context_.program.commands[static_cast<std::size_t>(command)];
  const lowering::VectorWork& w = context_.program.vector[static_cast<std::size_t>(c.work)];
  const config::VectorEngine& v = context_.npu.vector;
  const Femtoseconds computed =
      context_.clock.after(now, timing::vector_cycles(w.elements, w.operations, v.lanes, v.start));
  busy_until_ =
      std::max({computed, scratchpad_.read(now, w.read, c.op), scratchpad_.write(now, w.written, c.op)});
  context_.counters.add_over(c.op, operations_, w.elements * w.operations, now, busy_until_);
  free_.notify(to_sc(busy_until_ - now));
}

void VectorEngine::run() {
  ++context_.events;
  const Femtoseconds now = now_fs();
  if (running_ >= 0) {
    if (now < busy_until_) return;
    context_.finish(running_);
    running_ = -1;
  }
  const int command = context_.ready_head(Unit::vector);
  if (command >= 0) return start(command, now);
  buckets_.enter(context_.waiting_bucket(Unit::vector), now);
}

}  // namespace edgenpu::hardware
