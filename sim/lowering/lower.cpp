#include "lowering/lower.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory.h"
#include "lowering/assign.h"
#include "lowering/plan.h"
#include "lowering/program_size.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

void lower_operator(Plan& plan, int op) {
  const OperatorBody& body = plan.op(op).body;
  const config::Fusion& follows = plan.layout.follow;
  if (std::holds_alternative<MatMul>(body)) {
    const int next = follower(plan.trace, plan.layout.consumers, op, follows);
    const bool waits = next >= 0 && !std::holds_alternative<Sample>(plan.op(next).body);
    if (!waits) lower_matmul(plan, op);
    return;
  }
  const bool function = std::holds_alternative<Activation>(body) || std::holds_alternative<Rope>(body);
  if (function && !plan.op(op).needs.empty() &&
      follower(plan.trace, plan.layout.consumers, plan.op(op).needs[0], follows) == op)
    return lower_function_of_products(plan, op);
  plan.builder.divide(plan.layout.division);
  plan.builder.begin_operator(op);
  if (const auto* attention = std::get_if<Attention>(&body)) return lower_attention(plan, op, *attention);
  if (const auto* write = std::get_if<KvWrite>(&body)) return lower_kv_write(plan, op, *write);
  const auto* sample = std::get_if<Sample>(&body);
  if (sample && !plan.op(op).needs.empty() && plan.value(plan.op(op).needs[0]).place == Place::dram)
    return lower_spilled_sample(plan, op, *sample);
  lower_vector(plan, op);
}

// A program that memory does not hold would end the run after minutes, without the size.
void refuse_too_large(const Trace& trace, const config::Npu& npu, const Layout& layout,
                      const Builder& builder) {
  const std::int64_t commands = least_commands(trace, npu, layout, builder);
  const std::int64_t bytes = least_memory(commands).count();
  if (bytes > available_memory())
    throw TooLargeToSimulate(
        fmt::format("a step of {:.0f} million commands or more", static_cast<double>(commands) * 1e-6),
        bytes);
}

}  // namespace

Program lower(const Trace& trace, const config::Npu& npu) {
  if (!assigns(npu)) return lower(trace, npu, wishes_of(trace, npu));
  const Trace mine = assigned(trace, npu);
  return lower(mine, npu, wishes_of(mine, npu));
}

Program lower(const Trace& trace, const config::Npu& npu, const Wishes& wishes) {
  MemoryMap map = map_memory(trace, npu.memory, npu.kv_page);
  map_lists(map, trace, npu);
  const Layout layout = choose_layout(trace, npu, map.end, wishes);
  const int operators = static_cast<int>(trace.operators.size());
  Builder builder(npu, operators, layout.division);
  if (!npu.placed.empty()) {
    std::vector<RunsOn> runs_on;
    for (const Operator& op : trace.operators) runs_on.push_back(op.runs_on);
    builder.place(std::move(runs_on));
  }
  refuse_too_large(trace, npu, layout, builder);
  Plan plan{trace, npu, map, layout, builder, std::vector<int>(trace.operators.size(), -1), {}, {}};
  plan.ready.resize(trace.operators.size());
  plan.stored.resize(trace.operators.size());
  for (int op = 0; op < operators; ++op) {
    const bool layer = op > 0 && plan.op(op).layer != plan.op(op - 1).layer;
    if (npu.barriers == config::Barriers::operators || (npu.barriers == config::Barriers::layer && layer))
      builder.barrier();
    lower_operator(plan, op);
  }
  for (int op = 0; op < operators; ++op)
    if (plan.last[static_cast<std::size_t>(op)] < 0)
      throw InternalError(plan.op(op).name + " was lowered to no command");
  Program program = builder.take();
  program.spill = layout.spill;
  for (const Operator& op : trace.operators) program.operator_names.push_back(op.name);
  return program;
}

}  // namespace edgenpu::lowering
