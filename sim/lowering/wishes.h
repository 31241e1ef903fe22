// Which operators a description's wishes are for.
#pragma once

#include <vector>

#include "config/npu.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// What a description wants of an operator's plan (lowering.plan): [operator] the first pattern that fits its
// name, whole ("blk.0.ffn_down") or within its layer ("ffn_down"); nullptr: nothing. Empty if nothing is
// wanted.
using Wishes = std::vector<const config::PlanOverride*>;

// Throws InputError for a pattern that fits no matrix product of the trace, with the nearest name.
Wishes wishes_of(const workload::Trace& trace, const config::Npu& npu);

// Whether a pattern fits an operator's name, whole or within its layer.
bool named_by(const std::string& pattern, const workload::Operator& op);
bool named_by(const std::string& pattern, const std::string& name);

// "ffn_down" of "blk.7.ffn_down".
std::string name_within_layer(const workload::Operator& op);
std::string name_within_layer(const std::string& name);

}  // namespace edgenpu::lowering
