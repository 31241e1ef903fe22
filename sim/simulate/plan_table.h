// The plan of a step on an NPU as a table: one row for operators that are alike, with the layers they are in.
//
//   order, tile_m, tile_n, tile_k, tiles, split   of matrix products (lowering/product_plan.h); of other
//                                                 operators tile_m: the rows that one command takes
//   inputs, weights, results                      chip: all lie there; held: a block at a time; streamed;
//                                                 passing: to the function that follows; DRAM
//   once_B, again_B, spill_B                      DRAM bytes of one operator: read once, read again, written
//                                                 because they did not fit
//   scratchpad_B                                  of rings while a product runs
//   dram_B                                        read by the products that one function takes together
//   cycles, lower_bound_s                         least cycles of the engines; the longer of those and memory
//   operands, runs_on                             pair of a product's multipliers; cpu: placed there
//   next_*                                        the best plan in another order of loops, and its cost
#pragma once

#include "config/npu.h"
#include "result/table.h"
#include "workload/trace.h"

namespace edgenpu::simulate_detail {

// Throws InfeasibleError and InputError as lowering does.
result::Table plan_table(const workload::Trace& trace, const config::Npu& npu);

}  // namespace edgenpu::simulate_detail
