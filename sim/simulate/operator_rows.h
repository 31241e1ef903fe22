// The operator table of a result: operators of the same name in different layers that move the same bytes and
// do the same products share a row. `units`: on which each runs, where there are several.
#pragma once

#include <vector>

#include "activity/snapshot.h"
#include "energy/price.h"
#include "result/step_result.h"
#include "workload/trace.h"

namespace edgenpu::simulate_detail {

std::vector<result::OperatorResult> operator_rows(const workload::Trace& trace, const activity::Snapshot& run,
                                                  const energy::StepEnergy& energy,
                                                  const std::vector<std::string>& units = {});

// "cpu", "cpu: softmax" (of attention) for what is placed on the cores; "" for the engines.
const char* runs_on(const workload::Operator& op);

}  // namespace edgenpu::simulate_detail
