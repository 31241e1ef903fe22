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
          {"vector_fma", "operations", "lane operations of the vector engine in fp32", true})),
      free_at_(static_cast<std::size_t>(context.npu.vector.pipelines)) {
  SC_HAS_PROCESS(VectorEngine);
  SC_METHOD(run);
  sensitive << context.wake_of(Unit::vector) << free_;
}

Cycles VectorEngine::cycles(const lowering::VectorWork& w) const {
  const config::VectorEngine& v = context_.npu.vector;
  if (w.words == 0) return timing::vector_cycles(w.elements, w.operations, v.lanes, v.start);
  return timing::pass_cycles(w.words, w.operations, w.trees, v.lanes, v.start);
}

void VectorEngine::start(int command, Femtoseconds& pipeline, Femtoseconds now) {
  context_.queue(Unit::vector).pop();
  context_.start(command);
  const lowering::Command& c = context_.program.commands[static_cast<std::size_t>(command)];
  const lowering::VectorWork& w = context_.program.vector[static_cast<std::size_t>(c.work)];
  pipeline =
      std::max({context_.clock.after(now, cycles(w)), scratchpad_.read(Unit::vector, now, w.read, c.op),
                scratchpad_.write(Unit::vector, now, w.written, c.op)});
  context_.counters.add_over(c.op, operations_, checked_mul(w.elements, w.operations), now, pipeline);
  const Femtoseconds before = running_.empty() ? now : running_.back().second;
  running_.emplace_back(command, std::max(before, pipeline));
}

// At the end of the oldest command, or when a pipeline falls free before it.
void VectorEngine::wake_next(Femtoseconds now) {
  if (running_.empty()) return;
  Femtoseconds next = running_.front().second;
  for (const Femtoseconds end : free_at_)
    if (end > now) next = std::min(next, end);
  free_.notify(to_sc(next - now));
}

void VectorEngine::run() {
  ++context_.events;
  const Femtoseconds now = now_fs();
  while (!running_.empty() && running_.front().second <= now) {
    context_.finish(running_.front().first);
    running_.pop_front();
  }
  for (Femtoseconds& pipeline : free_at_) {
    if (pipeline > now) continue;
    const int command = context_.ready_head(Unit::vector);
    if (command < 0) break;
    start(command, pipeline, now);
  }
  wake_next(now);
  buckets_.enter(running_.empty() ? context_.waiting_bucket(Unit::vector) : activity::Bucket::busy, now);
}

}  // namespace edgenpu::hardware
