// Operators that run on the vector engine alone: one command each, over everything the operator produces.
#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

struct VectorShape {
  std::int64_t elements, operations;
  std::int64_t inputs = 1;   // values read per element
  std::int64_t outputs = 1;  // values written per element
};

struct Shape {
  const Builder& b;
  VectorShape operator()(const Embed& o) const { return {o.m * o.width, b.operations("decode"), 0}; }
  VectorShape operator()(const Norm& o) const {
    const char* function = o.kind == Norm::Kind::rms ? "rms_norm" : "layer_norm";
    return {o.m * o.heads * o.width, b.operations(function)};
  }
  VectorShape operator()(const Rope& o) const { return {o.m * o.heads * o.head_dim, b.operations("rope")}; }
  VectorShape operator()(const Activation& o) const {
    const char* function = o.function == Activation::Function::silu ? "silu" : "gelu";
    const std::int64_t gate = o.gated ? b.operations("multiply") : 0;
    return {o.m * o.width, b.operations(function) + gate, o.gated ? 2 : 1};
  }
  VectorShape operator()(const Add& o) const { return {o.m * o.width, b.operations("add"), 2}; }
  VectorShape operator()(const Route& o) const {
    return {o.m * o.experts, b.operations("softmax") + o.active * b.operations("argmax")};
  }
  VectorShape operator()(const Sample& o) const { return {o.m * o.vocab, b.operations("argmax"), 1, 0}; }
  template <class Other>
  VectorShape operator()(const Other&) const {
    return {0, 1};
  }
};

}  // namespace

void lower_vector(Plan& plan, int op, const OperatorBody& body) {
  if (plan.last[static_cast<std::size_t>(op)] >= 0) return;  // done inside its producer
  Builder& b = plan.builder;
  const VectorShape shape = std::visit(Shape{b}, body);
  Dependencies waits = plan.waits_of(op);
  const Bytes stored = weight_bytes(body);
  int load = -1;
  if (stored > Bytes(0)) {
    load = b.load({plan.map.weights[static_cast<std::size_t>(op)], stored, 1, Bytes(0)});
    waits.push_back({load, Wait::data});
  }
  VectorWork work;
  work.elements = shape.elements;
  work.operations = shape.operations + plan.operand_operations(op);
  work.read = Bytes(shape.elements * shape.inputs * kResultBytes) + stored;
  work.written = Bytes(shape.elements * shape.outputs * kResultBytes);
  const int command = b.vector(work, waits);
  if (load >= 0) b.frees(load, command);
  plan.last[static_cast<std::size_t>(op)] = command;
}

}  // namespace edgenpu::lowering
