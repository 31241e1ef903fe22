// Scratchpad bytes of the resident layout.
#include <algorithm>
#include <map>

#include "lowering/layout.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

// A place for operands is there even where none is needed.
std::int64_t bytes_of_operands(const Trace& trace, const std::vector<int>& readers) {
  std::int64_t bytes = 1;
  for (const int reader : readers) {
    const Operator& op = trace.operators[static_cast<std::size_t>(reader)];
    if (std::holds_alternative<MatMul>(op.body) && op.runs_on != RunsOn::cores)
      bytes = std::max(bytes, operand_bytes(op));
  }
  return bytes;
}

}  // namespace

Bytes resident_bytes(const Trace& trace, const Consumers& consumers) {
  std::map<int, std::int64_t> by_layer;
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const Operator& op = trace.operators[i];
    // Logits are reduced tile by tile as they appear; two tiles' worth is in the margin of the ring's
    // granularity.
    const bool sampled = follower(trace, consumers, static_cast<int>(i), {false, false, false}) >= 0;
    const std::int64_t bytes =
        sampled ? 0 : resident_result_bytes(op.body, bytes_of_operands(trace, consumers[i]));
    (op.layer < 0 ? outside : by_layer[op.layer]) += bytes;
  }
  std::int64_t largest = 0;
  for (const auto& [layer, bytes] : by_layer) largest = std::max(largest, bytes);
  return Bytes(outside + largest);
}

}  // namespace edgenpu::lowering
