#include "hardware/npu/command_processor.h"

namespace edgenpu::hardware {

CommandProcessor::CommandProcessor(sc_core::sc_module_name name, NpuContext& context)
    : sc_module(name),
      context_(context),
      buckets_(context.program.operators),
      issued_(context.counters.declare(
          {"control_instructions", "commands", "commands issued to the units", true})) {
  SC_HAS_PROCESS(CommandProcessor);
  SC_METHOD(run);
}

void CommandProcessor::run() {
  ++context_.events;
  const Femtoseconds now = now_fs();
  if (!launched_) {
    launched_ = true;
    return next_trigger(to_sc(context_.clock.after(context_.npu.host_overhead, context_.npu.issue) - now));
  }
  if (next_ == static_cast<int>(context_.program.commands.size()))
    return buckets_.enter(activity::Bucket::idle, now);
  const lowering::Command& c = context_.program.commands[static_cast<std::size_t>(next_)];
  if (c.barrier && context_.scoreboard.finished_count() < next_) {
    buckets_.enter(activity::Bucket::wait_dependency, now);
    return next_trigger(context_.progress);
  }
  CommandQueue& queue = context_.queue(c.unit);
  if (queue.full()) {
    buckets_.enter(activity::Bucket::wait_space, now);
    return next_trigger(queue.space);
  }
  buckets_.enter(activity::Bucket::busy, now);
  queue.commands.push_back(next_);
  context_.scoreboard.queued(next_);
  context_.counters.add_over(c.op, issued_, 1, now, now);
  // A unit looks at its queue when the head changes; the rest it finds by itself.
  if (queue.commands.size() == 1) context_.wake_of(c.unit).notify(sc_core::SC_ZERO_TIME);
  ++next_;
  next_trigger(to_sc(context_.clock.after(now, context_.npu.issue) - now));
}

}  // namespace edgenpu::hardware
