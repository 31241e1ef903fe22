// Why a step is as slow as it is: its ledger by resource, and each main number of the hardware made 10 %
// smaller, 10 % larger and twice as good, by simulation on all cores.
//
// The cause is found by simulation too: of the numbers that are neither bandwidth nor clock, the one of which
// twice as much closes most of the gap between the step and the roof of its memory. Numbers that act together
// are not tried together. Errors: those of a step.
#pragma once

#include "result/explanation.h"
#include "simulate.h"

namespace edgenpu::analysis {

result::Explanation explain(const StepRequest& request, int jobs = 0);

}  // namespace edgenpu::analysis
