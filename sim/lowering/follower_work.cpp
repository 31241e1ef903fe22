#include "lowering/follower_work.h"

namespace edgenpu::lowering {

using namespace workload;

VectorWork activation_work(const Plan& plan, int op, std::int64_t rows, std::int64_t columns) {
  const Builder& b = plan.builder;
  const auto& a = std::get<Activation>(plan.op(op).body);
  VectorWork w;
  w.elements = rows * columns;
  w.read = Bytes(w.elements * (a.gated ? 2 : 1) * kResultBytes);
  w.written = Bytes(w.elements * plan.written_bytes(op));
  const VectorCost own = elementwise(b.operations(function_of(a.function)) +
                                     (a.gated ? b.operations(VectorFunction::multiply) : 0));
  charge(w, own.then(plan.operand_cost(op)), b.words(rows, columns));
  return w;
}

VectorWork turning_work(const Plan& plan, int op, std::int64_t rows, std::int64_t columns,
                        std::int64_t width) {
  const Builder& b = plan.builder;
  const auto& rope = std::get<Rope>(plan.op(op).body);
  const std::int64_t elements = rows * columns;
  VectorWork w;
  w.elements = ceil_div(elements * rope.heads * rope.head_dim, width);
  w.read = Bytes(elements * kResultBytes);
  w.written = Bytes(elements * plan.written_bytes(op));
  charge(w, elementwise(b.operations(VectorFunction::rope)).then(plan.operand_cost(op)),
         b.words(rows, columns));
  return w;
}

}  // namespace edgenpu::lowering
