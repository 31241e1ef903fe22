// One trace on several units that take turns: which unit each operator is on, in which stage it runs, and what the
// units hand to each other through memory.
//
// A stage is a run of operators, in the order of the trace, on one unit; stages follow each other. A result that
// an operator of another unit reads is written to memory once, and read by each stage of other units that takes it;
// everything else stays in the caches of its unit, as where there is one. Its bytes are those of values.h.
#pragma once

#include <vector>

#include "config/memory.h"
#include "lowering/program.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

struct Shared {
  std::vector<int> unit, stage;  // [operator]
  std::vector<Transfer> value;   // [operator] its result in memory; count 0: no other unit reads it
  int stages = 0;
  Bytes read{0}, written{0};  // of such results, in all
  std::int64_t end = 0;       // the first free address behind weights, caches and results

  // Results that an operator reads from memory: those not read by its stage before.
  std::vector<std::vector<int>> reads;  // [operator] producers
};

// `unit`: [operator]. Throws InfeasibleError if the trace does not fit the memory.
Shared share(const workload::Trace& trace, const config::Memory& memory, std::vector<int> unit);

}  // namespace edgenpu::lowering
