// What a description decides for single operators, written into the trace that is lowered: the operand pair
// of a product (lowering.operands) and what runs on the chip's CPU (placement.cpu; the part `softmax` of an
// attention operator has a name of its own).
#pragma once

#include "config/npu.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// True if the description decides anything.
bool assigns(const config::Npu& npu);
// The trace with it. Throws InputError, with all findings: a pattern that fits no operator it may be for
// (with the nearest name), operands that a product's weights cannot have (with those that they can).
workload::Trace assigned(workload::Trace trace, const config::Npu& npu);

}  // namespace edgenpu::lowering
