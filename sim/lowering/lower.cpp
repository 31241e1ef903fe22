#include "lowering/lower.h"

#include <fmt/format.h>

#include "base/error.h"
#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

// Attention scores take an eighth of the scratchpad, twice (two blocks under way).
constexpr std::int64_t kScoreShare = 8;
// The ring must hold two loads of this size at least, or nothing streams.
constexpr Bytes kSmallestRing(1024);

Bytes fixed_bytes(const Trace& trace, const config::Npu& npu) {
  const Bytes activations = activation_bytes(trace);
  const Bytes fixed = activations + npu.scratchpad.size / kScoreShare;
  if (fixed + kSmallestRing <= npu.scratchpad.size) return fixed;
  throw InfeasibleError(fmt::format(
      "the activations of {} ({} tokens) do not fit the scratchpad: {} B for activations, {} B for attention "
      "scores and "
      "{} B for loads are needed, there are {} B",
      trace.model, trace.tokens * trace.batch, activations.count(),
      (npu.scratchpad.size / kScoreShare).count(), kSmallestRing.count(), npu.scratchpad.size.count()));
}

void lower_operator(Plan& plan, int op) {
  const OperatorBody& body = plan.trace.operators[static_cast<std::size_t>(op)].body;
  plan.builder.begin_operator(op);
  if (const auto* matmul = std::get_if<MatMul>(&body)) return lower_matmul(plan, op, *matmul);
  if (const auto* attention = std::get_if<Attention>(&body)) return lower_attention(plan, op, *attention);
  if (const auto* write = std::get_if<KvWrite>(&body)) return lower_kv_write(plan, op, *write);
  lower_vector(plan, op, body);
}

}  // namespace

Program lower(const Trace& trace, const config::Npu& npu) {
  const MemoryMap map = map_memory(trace, npu.memory);
  const int operators = static_cast<int>(trace.operators.size());
  Builder builder(npu, operators, fixed_bytes(trace, npu));
  Plan plan{trace,
            map,
            builder,
            std::vector<int>(trace.operators.size(), -1),
            consumers_of(trace),
            predecessors_of(trace),
            npu.scratchpad.size / kScoreShare};
  for (int op = 0; op < operators; ++op) lower_operator(plan, op);
  Program program = builder.take();
  for (const Operator& op : trace.operators) program.operator_names.push_back(op.name);
  return program;
}

}  // namespace edgenpu::lowering
