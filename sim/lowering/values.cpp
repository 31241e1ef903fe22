#include "lowering/values.h"

#include <algorithm>
#include <string>

namespace edgenpu::lowering {

using namespace workload;

Consumers consumers_of(const Trace& trace) {
  Consumers consumers(trace.operators.size());
  for (std::size_t i = 0; i < trace.operators.size(); ++i)
    for (const int need : trace.operators[i].needs)
      consumers[static_cast<std::size_t>(need)].push_back(static_cast<int>(i));
  return consumers;
}

namespace {

const OperatorBody& body_of(const Trace& trace, int op) {
  return trace.operators[static_cast<std::size_t>(op)].body;
}

// Rope turns `head_dim` elements of a head; the head itself may be wider, as attention knows.
std::int64_t head_width(const Trace& trace, const std::vector<int>& consumers, const Rope& rope) {
  for (const int reader : consumers)
    if (const auto* attention = std::get_if<Attention>(&body_of(trace, reader))) return attention->head_dim;
  return rope.head_dim;
}

struct Shape {
  const Trace& trace;
  const std::vector<int>& consumers;

  Value operator()(const Embed& o) const { return {o.m, o.width}; }
  Value operator()(const Norm& o) const { return {o.m, o.heads * o.width}; }
  Value operator()(const MatMul& o) const { return {o.rows(), o.n}; }
  Value operator()(const Rope& o) const { return {o.m, o.heads * head_width(trace, consumers, o)}; }
  Value operator()(const Attention& o) const { return {o.requests * o.m, o.heads * o.head_dim}; }
  Value operator()(const Activation& o) const { return {o.m, o.width}; }
  Value operator()(const Add& o) const { return {o.m, o.width}; }
  Value operator()(const Combine& o) const { return {o.m, o.width}; }
  Value operator()(const Route& o) const { return {o.m, o.experts}; }
  Value operator()(const KvWrite&) const { return {}; }
  Value operator()(const Sample&) const { return {}; }
};

// Result bytes of an operator in the resident layout, where nothing is shared.
struct ResidentBytes {
  std::int64_t operand;  // bytes beside fp32 as which products read it

  std::int64_t operator()(const Embed& o) const { return o.m * o.width * kResultBytes; }
  std::int64_t operator()(const Norm& o) const { return o.m * o.heads * o.width * (kResultBytes + operand); }
  std::int64_t operator()(const MatMul& o) const { return o.rows() * o.n * kResultBytes; }
  std::int64_t operator()(const Rope&) const { return 0; }  // in place
  std::int64_t operator()(const Attention& o) const {
    return o.requests * o.m * o.heads * o.head_dim * (kResultBytes + operand);
  }
  std::int64_t operator()(const KvWrite&) const { return 0; }
  std::int64_t operator()(const Activation& o) const { return o.m * o.width * (kResultBytes + operand); }
  std::int64_t operator()(const Add& o) const { return o.m * o.width * kResultBytes; }
  std::int64_t operator()(const Combine& o) const { return o.m * o.width * kResultBytes; }
  std::int64_t operator()(const Route& o) const { return o.m * o.experts * kResultBytes; }
  std::int64_t operator()(const Sample& o) const { return o.m * kResultBytes; }
};

struct RowCount {
  std::int64_t operator()(const MatMul& o) const { return o.rows(); }
  std::int64_t operator()(const Attention& o) const { return o.requests * o.m; }
  template <class Other>
  std::int64_t operator()(const Other& o) const {
    return o.m;
  }
};

bool on_engines(const Trace& trace, int op) {
  return trace.operators[static_cast<std::size_t>(op)].runs_on == RunsOn::engines;
}

// All of a product's result, row by row.
bool turns(const Trace& trace, const Rope& rope, int product) {
  const auto& mine = std::get<MatMul>(body_of(trace, product));
  return mine.copies == 1 && mine.m == rope.m && mine.n % rope.heads == 0 &&
         mine.n / rope.heads >= rope.head_dim;
}

// fp32 if a vector function reads it; besides, or alone, each operand format of products that read it.
std::int64_t element_bytes(const Trace& trace, const std::vector<int>& consumers) {
  bool vector = consumers.empty(), byte = false, half = false;
  for (const int reader : consumers) {
    const OperatorBody& body = body_of(trace, reader);
    const bool on_cores = trace.operators[static_cast<std::size_t>(reader)].runs_on == RunsOn::cores;
    if (on_cores && std::holds_alternative<MatMul>(body))
      vector = true;
    else if (std::holds_alternative<MatMul>(body))
      (operand_bytes(trace.operators[static_cast<std::size_t>(reader)]) == 1 ? byte : half) = true;
    else if (std::holds_alternative<Attention>(body) || std::holds_alternative<KvWrite>(body))
      half = true;
    else
      vector = true;
  }
  return (vector ? kResultBytes : 0) + (byte ? 1 : 0) + (half ? kAttentionBytes : 0);
}

}  // namespace

std::int64_t rows_of(const OperatorBody& body) {
  return std::visit(RowCount{}, body);
}

std::int64_t resident_result_bytes(const OperatorBody& body, std::int64_t operand) {
  return std::visit(ResidentBytes{operand}, body);
}

Bytes given_row_bytes(const Operator& op) {
  return Bytes(input_bytes(op).count() / rows_of(op.body));
}

std::vector<Value> values_of(const Trace& trace, const Consumers& consumers) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    Value v = std::visit(Shape{trace, consumers[i]}, trace.operators[i].body);
    v.element = element_bytes(trace, consumers[i]);
    values.push_back(v);
  }
  return values;
}

int follower(const Trace& trace, const Consumers& consumers, int op, const config::Fusion& follow) {
  if (!std::holds_alternative<MatMul>(body_of(trace, op))) return -1;
  const std::vector<int>& readers = consumers[static_cast<std::size_t>(op)];
  if (readers.size() != 1 || !on_engines(trace, op) || !on_engines(trace, readers[0])) return -1;
  const OperatorBody& reader = body_of(trace, readers[0]);
  if (std::holds_alternative<Sample>(reader)) return readers[0];
  if (const auto* rope = std::get_if<Rope>(&reader))
    return follow.rope && turns(trace, *rope, op) ? readers[0] : -1;
  if (!follow.activation || !std::holds_alternative<Activation>(reader)) return -1;
  // Every input must be a product that nothing else reads, of the same shape.
  const auto& mine = std::get<MatMul>(body_of(trace, op));
  for (const int need : trace.operators[static_cast<std::size_t>(readers[0])].needs) {
    const auto* product = std::get_if<MatMul>(&body_of(trace, need));
    if (!product || consumers[static_cast<std::size_t>(need)].size() != 1 || !on_engines(trace, need))
      return -1;
    // They read the same rows.
    const Operator& one = trace.operators[static_cast<std::size_t>(need)];
    if (need != op && (one.needs.empty() || one.needs != trace.operators[static_cast<std::size_t>(op)].needs))
      return -1;
    if (product->n != mine.n || product->m != mine.m || product->copies != mine.copies ||
        product->extra != mine.extra)
      return -1;
    // They take the same rows, in one format.
    if (operand_bytes(trace.operators[static_cast<std::size_t>(need)]) !=
        operand_bytes(trace.operators[static_cast<std::size_t>(op)]))
      return -1;
  }
  return readers[0];
}

int sum_before(const Trace& trace, int op, const config::Fusion& follow) {
  const Operator& self = trace.operators[static_cast<std::size_t>(op)];
  const auto* norm = std::get_if<Norm>(&self.body);
  // The next operator, so that nothing in between takes over a place.
  if (!follow.norm || !norm || self.needs != std::vector<int>{op - 1}) return -1;
  if (!on_engines(trace, op) || !on_engines(trace, op - 1)) return -1;
  const auto* sum = std::get_if<Add>(&body_of(trace, op - 1));
  return sum && sum->m == norm->m && sum->width == norm->heads * norm->width ? op - 1 : -1;
}

int norm_after(const Trace& trace, int op, const config::Fusion& follow) {
  const int next = op + 1;
  if (next >= static_cast<int>(trace.operators.size())) return -1;
  return sum_before(trace, next, follow) == op ? next : -1;
}

Rows rows_read(const OperatorBody& consumer, std::int64_t producer_rows, Rows rows) {
  const std::int64_t total = rows_of(consumer);
  if (producer_rows == total) return rows;
  // The last tokens of a prompt, or those that are kept; the outputs of several experts for one token.
  if (producer_rows > total && !std::holds_alternative<MatMul>(consumer) &&
      !std::holds_alternative<Combine>(consumer))
    return {producer_rows - total + rows.first, rows.count};
  // Anything else (experts' rows, the patches of a convolution) reads its share.
  const std::int64_t first = rows.first * producer_rows / total;
  const std::int64_t end = (rows.end() * producer_rows + total - 1) / total;
  return {first, std::max<std::int64_t>(1, end - first)};
}

}  // namespace edgenpu::lowering
