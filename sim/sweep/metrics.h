// The outputs of a step as columns: metrics, roofline, losses and the simulation's own account. Energy by
// component is kept apart, since components differ between hardware.
#pragma once

#include <string>
#include <vector>

#include "result/step_result.h"
#include "result/table.h"

namespace edgenpu::sweep {

// Names end in their units.
const std::vector<std::string>& output_columns();
// In the same order.
std::vector<result::Cell> output_cells(const result::StepResult& result);

}  // namespace edgenpu::sweep
