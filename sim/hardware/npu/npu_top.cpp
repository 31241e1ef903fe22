#include "hardware/npu/npu_top.h"

namespace edgenpu::hardware {

using activity::Loss;
using lowering::Unit;

NpuTop::NpuTop(sc_core::sc_module_name name, const config::Npu& npu, const lowering::Program& program,
               activity::Counters& counters, activity::LossLedger& ledger, std::int64_t address)
    : sc_module(name),
      context_(npu, program, counters, ledger, address),
      scratchpad_(npu, counters),
      interconnect_(npu.interconnect, npu.clock),
      processor_("command_processor", context_),
      load_("load_dma", Unit::load, context_, scratchpad_, interconnect_),
      store_("store_dma", Unit::store, context_, scratchpad_, interconnect_),
      matrix_("matrix", context_, scratchpad_),
      vector_("vector", context_, scratchpad_),
      operator_(program.commands.front().op) {
  SC_HAS_PROCESS(NpuTop);
  SC_METHOD(watch_progress);
  dont_initialize();  // until something starts, the ledger's first cause holds: the host has not launched
  sensitive << context_.progress;
  if (!program.cores.empty()) cores_.emplace("cores", context_, scratchpad_, interconnect_);
  clocks_ = {{"matrix", &matrix_.buckets()},
             {"vector", &vector_.buckets()},
             {"load_dma", &load_.buckets()},
             {"store_dma", &store_.buckets()},
             {"command_processor", &processor_.buckets()}};
  if (cores_) clocks_.emplace_back("cpu", &cores_->buckets());
  for (const auto& [unit, clock] : clocks_) clock->at_operator(operator_, Femtoseconds(0));
}

int NpuTop::bind(MemorySystem& memory, int first) {
  load_.socket.bind(memory.socket(first));
  store_.socket.bind(memory.socket(first + 1));
  return first + 2;
}

// What the memory is waiting for while it has nothing to serve.
Scoreboard::Blame NpuTop::upstream() {
  const auto& program = context_.program;
  for (const Dma* dma : {&load_, &store_})
    if (dma->busy()) return {Loss::queueing, dma->oldest_operator()};
  for (const Dma* dma : {&load_, &store_})
    if (dma->in_progress()) return {Loss::issue, dma->oldest_operator()};
  const int oldest = context_.scoreboard.oldest_unfinished();
  // The next transfer of the program: in a queue, or not issued yet.
  int next = -1;
  for (const Unit unit : {Unit::load, Unit::store}) {
    const int head = context_.scoreboard.head(unit);
    if (head >= 0 && (next < 0 || head < next)) next = head;
  }
  if (next >= 0) return with_handover(context_.scoreboard.blame(next));
  if (cores_ && cores_->busy()) return cores_->blame();
  return {Loss::tail, program.commands[static_cast<std::size_t>(oldest)].op};
}

// The cores know whether they work.
Scoreboard::Blame NpuTop::with_handover(const Scoreboard::Blame& blame) const {
  return blame.loss == Loss::cores ? cores_->blame() : blame;
}

void NpuTop::watch_progress() {
  ++context_.events;
  if (context_.scoreboard.all_finished()) {
    end_ = now_fs();
    tell_finished();
    return;
  }
  follow_operator();
  const Scoreboard::Blame blame = upstream();
  context_.ledger.upstream(now_fs(), blame.loss, blame.op);
}

// The step is at the operator of the oldest command that has not finished.
void NpuTop::follow_operator() {
  const int oldest = context_.scoreboard.oldest_unfinished();
  const activity::OperatorId op = context_.program.commands[static_cast<std::size_t>(oldest)].op;
  if (op == operator_) return;
  operator_ = op;
  for (const auto& [name, clock] : clocks_) clock->at_operator(op, now_fs());
}

void NpuTop::record(activity::Timeline& timeline) {
  for (const auto& [name, clock] : clocks_) clock->record(timeline, name);
}

void NpuTop::finish_recording() {
  for (const auto& [name, clock] : clocks_) clock->finish_recording(end_);
}

std::vector<activity::EngineTimes> NpuTop::engines(Femtoseconds end) const {
  std::vector<activity::EngineTimes> engines;
  for (const auto& [name, clock] : clocks_)
    engines.push_back({name, clock->finish(end), clock->by_operator(end)});
  return engines;
}

}  // namespace edgenpu::hardware
