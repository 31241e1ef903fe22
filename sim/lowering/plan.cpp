#include "lowering/plan.h"

#include <algorithm>
#include <map>

#include "workload/arithmetic.h"

namespace edgenpu::lowering {

using namespace workload;

std::int64_t operand_bytes(Format weights) {
  const std::string operands = arithmetic(weights).operands;
  return operands == "fp16" || operands == "bf16" ? 2 : 1;
}

namespace {

// Result bytes of an operator that stay in the scratchpad until its consumers have run.
struct ResultBytes {
  std::int64_t operator()(const Embed& o) const { return o.m * o.width * kResultBytes; }
  std::int64_t operator()(const Norm& o) const { return o.m * o.heads * o.width * (kResultBytes + 1); }
  std::int64_t operator()(const MatMul& o) const { return o.copies * o.m * o.n * kResultBytes; }
  std::int64_t operator()(const Rope&) const { return 0; }  // in place
  std::int64_t operator()(const Attention& o) const {
    return o.requests * o.m * o.heads * o.head_dim * (kResultBytes + 1);
  }
  std::int64_t operator()(const KvWrite&) const { return 0; }
  std::int64_t operator()(const Activation& o) const { return o.m * o.width * (kResultBytes + 1); }
  std::int64_t operator()(const Add& o) const { return o.m * o.width * kResultBytes; }
  std::int64_t operator()(const Route& o) const { return o.m * o.experts * kResultBytes; }
  std::int64_t operator()(const Sample& o) const { return o.m * kResultBytes; }
};

}  // namespace

std::vector<std::vector<int>> consumers_of(const Trace& trace) {
  std::vector<std::vector<int>> consumers(trace.operators.size());
  for (std::size_t i = 0; i < trace.operators.size(); ++i)
    for (const int need : trace.operators[i].needs)
      consumers[static_cast<std::size_t>(need)].push_back(static_cast<int>(i));
  return consumers;
}

std::vector<int> predecessors_of(const Trace& trace) {
  // Operators of a layer correspond by their order within it.
  std::vector<int> predecessor(trace.operators.size(), -1);
  std::map<std::pair<int, int>, int> at;
  std::map<int, int> next;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const int layer = trace.operators[i].layer;
    if (layer < 0) continue;
    const int position = next[layer]++;
    at[{layer, position}] = static_cast<int>(i);
    const auto before = at.find({layer - 1, position});
    if (before != at.end()) predecessor[i] = before->second;
  }
  return predecessor;
}

Bytes activation_bytes(const Trace& trace) {
  std::map<int, std::int64_t> by_layer;
  std::int64_t outside = 0;
  const auto consumers = consumers_of(trace);
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const Operator& op = trace.operators[i];
    // Logits are reduced tile by tile as they appear; two tiles' worth is in the margin of the ring's
    // granularity.
    const bool sampled =
        consumers[i].size() == 1 &&
        std::holds_alternative<Sample>(trace.operators[static_cast<std::size_t>(consumers[i][0])].body);
    const std::int64_t bytes = sampled ? 0 : std::visit(ResultBytes{}, op.body);
    (op.layer < 0 ? outside : by_layer[op.layer]) += bytes;
  }
  std::int64_t largest = 0;
  for (const auto& [layer, bytes] : by_layer) largest = std::max(largest, bytes);
  return Bytes(outside + largest);
}

Dependencies Plan::waits_of(int op) const {
  Dependencies waits;
  for (const int need : trace.operators[static_cast<std::size_t>(op)].needs)
    if (last[static_cast<std::size_t>(need)] >= 0)
      waits.push_back({last[static_cast<std::size_t>(need)], Wait::data});
  const int before = predecessor[static_cast<std::size_t>(op)];
  if (before < 0) return waits;
  for (const int reader : consumers[static_cast<std::size_t>(before)])
    if (last[static_cast<std::size_t>(reader)] >= 0)
      waits.push_back({last[static_cast<std::size_t>(reader)], Wait::space});
  return waits;
}

std::int64_t Plan::operand_operations(int op) const {
  for (const int reader : consumers[static_cast<std::size_t>(op)]) {
    const auto* product = std::get_if<MatMul>(&trace.operators[static_cast<std::size_t>(reader)].body);
    if (!product) continue;
    // To int8: scale by the largest magnitude; to a 16-bit float: a conversion on the way out costs nothing.
    return operand_bytes(product->format) == 1 ? builder.operations("quantise") : 0;
  }
  return 0;
}

}  // namespace edgenpu::lowering
