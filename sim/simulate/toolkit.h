// A hardware's toolkit (config/toolkit.h) applied to a step.
#pragma once

#include "simulate.h"

namespace edgenpu::simulate_detail {

// The request with the toolkit's default where it names no quantisation of a shape.
StepRequest with_default_quant(StepRequest request, const config::Value& tree);

// Throws InfeasibleError, naming what the toolkit makes, for a mixture that it refuses.
void check_toolkit(const workload::Trace& trace, const config::Value& tree);

}  // namespace edgenpu::simulate_detail
