// What vector functions cost a command that applies them to its rows one after the other.
//
// A function is one pass over the elements or a list of passes (config/npu.h, VectorPass). The first pass of
// the first function reads what the command reads anyway, the last pass of the last one writes its result;
// `reads` and `writes` are what comes between: fp32 values per element that go to the scratchpad or come from
// there. A function that follows another takes its first pass on the way; if it reads again, the values in
// between are written first, in the place of the command's input.
#pragma once

#include "config/npu.h"
#include "lowering/program.h"

namespace edgenpu::lowering {

struct VectorCost {
  std::int64_t operations = 0;  // lane operations per element
  std::int64_t reads = 0, writes = 0;
  std::int64_t trees = 0;  // reductions that the next pass, or the result, waits for
  bool by_rows = false;    // some function has passes: a row begins with a lane word of its own

  VectorCost then(const VectorCost& next) const;
};

VectorCost cost_of(const config::VectorEngine& engine, vocabulary::VectorFunction function);
// Lane operations that need nothing of the row.
inline VectorCost elementwise(std::int64_t operations) {
  return {operations, 0, 0, 0, false};
}

// Adds a cost to a command of work.elements, which lie in rows of `words` lane words in all.
void charge(VectorWork& work, const VectorCost& cost, std::int64_t words);

}  // namespace edgenpu::lowering
