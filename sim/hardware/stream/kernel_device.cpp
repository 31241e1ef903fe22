#include "hardware/stream/kernel_device.h"

#include <fmt/format.h>

#include "base/error.h"
#include "hardware/run_events.h"

namespace edgenpu::hardware {

using activity::Loss;
using activity::OperatorId;
using lowering::Kernel;

KernelDevice::KernelDevice(sc_core::sc_module_name name, const std::string& core_name, int cores,
                           const StreamParameters& parameters, const config::Memory& memory,
                           const lowering::KernelProgram& program, activity::Counters& counters,
                           activity::LossLedger& ledger)
    : sc_module(name),
      program_(program),
      counters_(counters),
      board_(cores, ledger, program.kernels.front().parts.front().op),
      clock_(parameters.clock),
      core_name_(core_name),
      core_cycles_(
          counters.declare({"core_cycles", "cycles",
                            "cycles of all cores (CPU) or multiprocessors (GPU) while the step runs", true})),
      kernels_(counters.declare({"kernels", "kernels", "parallel sections or launches", false})),
      macs_(counters.declare(
          {"macs", "MACs", "multiply-accumulates of matrix products and attention", false})) {
  if (parameters.port > BytesPerSecond(0))
    port_ = std::make_unique<BandwidthServer>(Bytes(static_cast<std::int64_t>(parameters.port.count())),
                                              Hertz(1));
  for (int i = 0; i < cores; ++i)
    cores_.push_back(std::make_unique<StreamUnit>((core_name + std::to_string(i)).c_str(), i, parameters,
                                                  memory, board_, source_, port_.get()));
  SC_HAS_PROCESS(KernelDevice);
  SC_THREAD(run);
}

int KernelDevice::bind(MemorySystem& memory, int first) {
  for (auto& core : cores_) core->socket.bind(memory.socket(first++));
  return first;
}

// True if it had to be taken over.
bool KernelDevice::wait_for_turn(const Kernel& kernel) {
  const bool mine = next_ > 0 && program_.kernels[next_ - 1].stage == kernel.stage;
  if (!turns_ || mine || (next_ == 0 && kernel.stage == 0)) return false;
  while (turns_->stage() < kernel.stage) wait(turns_->changed());
  board_.take_spent(now_fs());
  counted_until_ = now_fs();
  counted_cycles_ = (cycle_at_or_after(now_fs(), clock_) * static_cast<std::int64_t>(cores_.size())).count();
  board_.device_waits(now_fs(), Loss::handover, kernel.parts.front().op);
  wait(to_sc(handover_));
  return true;
}

// Behind the kernel that was run last.
void KernelDevice::end_turn() {
  if (!turns_) return;
  const int stage = program_.kernels[next_].stage;
  const bool goes_on = next_ + 1 < program_.kernels.size() && program_.kernels[next_ + 1].stage == stage;
  if (!goes_on) turns_->next();
}

void KernelDevice::run() {
  Femtoseconds previous(0);
  for (; next_ < program_.kernels.size(); ++next_) {
    const Kernel& kernel = program_.kernels[next_];
    const OperatorId op = kernel.parts.front().op;
    if (wait_for_turn(kernel)) previous = now_fs();
    board_.device_waits(now_fs(), Loss::issue, op);
    const Femtoseconds start = start_of(next_, previous) + kernel.host;
    if (start > now_fs()) wait(to_sc(start - now_fs()));
    board_.device_waits(now_fs(), Loss::dependency, op);
    run_kernel(kernel);
    count(kernel);
    previous = now_fs();
    end_turn();
  }
  if (turns_ && !turns_->is_last(program_.kernels.back().stage)) {
    end_ = now_fs();
    finished_ = true;
    return tell_finished();
  }
  board_.device_waits(now_fs(), Loss::tail, program_.kernels.back().parts.back().op);
  if (after_last() > Femtoseconds(0)) wait(to_sc(after_last()));
  end_ = now_fs();
  finished_ = true;
  tell_finished();
}

void KernelDevice::run_kernel(const Kernel& kernel) {
  source_.load(kernel);
  for (auto& core : cores_) core->start();
  for (auto& core : cores_)
    while (!core->done()) wait(core->finished());
}

// Cycles are counted by time passed, so that none is lost to rounding.
void KernelDevice::count(const Kernel& kernel) {
  counters_.add(kernel.parts.front().op, kernels_, 1);
  for (const lowering::KernelPart& part : kernel.parts) counters_.add(part.op, macs_, part.macs.count());
  const std::int64_t cycles =
      (cycle_at_or_after(now_fs(), clock_) * static_cast<std::int64_t>(cores_.size())).count();
  // To the operators that the time went to, the rounding to the last.
  const Femtoseconds all = now_fs() - counted_until_;
  Femtoseconds time(0);
  std::int64_t given = 0;
  for (const StreamBoard::Spent& spent : board_.take_spent(now_fs())) {
    time += spent.time;
    const std::int64_t until = time == all
                                   ? cycles - counted_cycles_
                                   : static_cast<std::int64_t>(static_cast<Wide>(cycles - counted_cycles_) *
                                                               time.count() / all.count());
    counters_.add_over(spent.op, core_cycles_, until - given, counted_until_, now_fs());
    given = until;
  }
  counted_until_ = now_fs();
  counted_cycles_ = cycles;
}

std::string KernelDevice::describe() {
  std::string text = fmt::format("{} of {} kernels done", next_, program_.kernels.size());
  if (next_ < program_.kernels.size())
    text += " at " + program_.operator_names[static_cast<std::size_t>(
                         activity::index(program_.kernels[next_].parts.front().op))];
  for (std::size_t i = 0; i < cores_.size(); ++i)
    if (!cores_[i]->done()) text += fmt::format("\n  {}{}: {}", core_name_, i, cores_[i]->describe());
  return text;
}

std::vector<activity::EngineTimes> KernelDevice::engines(Femtoseconds end) const {
  std::vector<activity::EngineTimes> all;
  for (std::size_t i = 0; i < cores_.size(); ++i)
    all.push_back({core_name_ + std::to_string(i), cores_[i]->buckets().finish(end),
                   cores_[i]->buckets().by_operator(end)});
  return all;
}

void KernelDevice::record(activity::Timeline& timeline) {
  for (auto& core : cores_) core->clock().record(timeline, core_name_);
}

void KernelDevice::finish_recording() {
  for (auto& core : cores_) core->clock().finish_recording(end_);
}

std::int64_t KernelDevice::events() const {
  std::int64_t sum = static_cast<std::int64_t>(next_);
  for (const auto& core : cores_) sum += core->events();
  return sum;
}

}  // namespace edgenpu::hardware
