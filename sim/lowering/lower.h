// Operators -> program, for an NPU. One file per operator family: matmul, attention, vector functions.
//
// Plan (deepened later by a search): weights stream through the load ring in tiles of whole rows, each tile
// read once and multiplied by all engines, outputs divided among them; activations stay in the scratchpad,
// one place per operator of a layer, taken over by the same operator of the next layer; attention works one
// KV head at a time, over blocks of tokens whose scores fit, with the scores of the next block under way
// while the softmax of this one runs.
//
// Left out: steps whose activations do not fit (they are refused; spilling comes with tiled prefill).
#pragma once

#include "config/npu.h"
#include "lowering/program.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// Throws InfeasibleError: model, cache or activations do not fit; no decoder or multiplier for a format.
Program lower(const workload::Trace& trace, const config::Npu& npu);

}  // namespace edgenpu::lowering
