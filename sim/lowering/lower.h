// Operators -> program, for an NPU. One file per operator family: matmul, attention, vector functions.
//
// Plan: where values lie is decided first (layout.h). Weights stream in tiles of whole rows (tile_choice.h),
// each read once and multiplied by all engines, which divide it as matrix.split says. Where activations do
// not fit the scratchpad, a block of weights is held while the rows of the activations pass in chunks; they
// are read from DRAM again for every block. An activation function follows its products tile by tile in such
// steps. Attention works one KV head at a time, over blocks of queries and of keys whose scores fit, with the
// scores of the next block under way while the softmax of this one runs.
#pragma once

#include "config/npu.h"
#include "lowering/program.h"
#include "lowering/wishes.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// Throws InfeasibleError: model, cache or activations do not fit; no decoder or multiplier for a format; a
// plan that is wanted does not fit. InputError: lowering.plan names an operator that is not there.
Program lower(const workload::Trace& trace, const config::Npu& npu);
// The same of a trace that is assigned (assign.h), with wishes by operator: names may not be those of the
// model any more (workload/shorten.h).
Program lower(const workload::Trace& trace, const config::Npu& npu, const Wishes& wishes);

}  // namespace edgenpu::lowering
