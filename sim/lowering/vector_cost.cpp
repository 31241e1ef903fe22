#include "lowering/vector_cost.h"

#include "lowering/values.h"

namespace edgenpu::lowering {

VectorCost VectorCost::then(const VectorCost& next) const {
  VectorCost both = *this;
  both.operations += next.operations;
  both.reads += next.reads;
  both.writes += next.writes + (next.reads > 0 ? 1 : 0);
  both.trees += next.trees;
  both.by_rows = by_rows || next.by_rows;
  return both;
}

VectorCost cost_of(const config::VectorEngine& engine, vocabulary::VectorFunction function) {
  VectorCost cost = elementwise(engine.operations.at(function));
  const auto passes = engine.passes.find(function);
  if (passes == engine.passes.end()) return cost;
  cost.by_rows = true;
  for (std::size_t i = 0; i < passes->second.size(); ++i) {
    const config::VectorPass& pass = passes->second[i];
    if (i > 0 && pass.read) ++cost.reads;
    if (pass.write) ++cost.writes;
    if (pass.reduce) ++cost.trees;
  }
  return cost;
}

void charge(VectorWork& work, const VectorCost& cost, std::int64_t words) {
  work.operations = cost.operations;
  work.read += Bytes(work.elements * kResultBytes * cost.reads);
  work.written += Bytes(work.elements * kResultBytes * cost.writes);
  work.trees = cost.trees;
  work.words = cost.by_rows ? words : 0;
}

}  // namespace edgenpu::lowering
