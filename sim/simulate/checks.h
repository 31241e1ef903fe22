// The physics that must hold in every run (docs/architecture.md, section 5), printed with every result.
#pragma once

#include <vector>

#include "activity/snapshot.h"
#include "energy/price.h"
#include "result/step_result.h"
#include "simulate/bounds.h"
#include "simulate/device.h"
#include "workload/trace.h"

namespace edgenpu::simulate_detail {

std::vector<result::Check> checks_of(const Device& device, const workload::Trace& trace,
                                     const activity::Snapshot& run, const energy::StepEnergy& energy,
                                     const Bounds& bounds);

}  // namespace edgenpu::simulate_detail
