// From what a run did (activity, energy) to the result that is printed.
#pragma once

#include "activity/snapshot.h"
#include "result/step_result.h"
#include "simulate.h"
#include "simulate/checks.h"
#include "simulate/device.h"
#include "workload/trace.h"

namespace edgenpu::simulate_detail {

// What a result depends on of the hardware that the step ran on.
Ground ground_of(const Device& device, const workload::Trace& trace);

// Everything but inputs and the simulation's own cost.
result::StepResult assemble(const Ground& ground, const workload::Trace& trace, const activity::Snapshot& run,
                            const energy::StepEnergy& energy);

result::Inputs inputs_of(const StepRequest& request, const config::Value& tree, const workload::Trace& trace);

}  // namespace edgenpu::simulate_detail
