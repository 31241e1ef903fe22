// `--repeat memo`: what is simulated of a step, and how the whole follows from it.
//
// Two reductions, each of which keeps the neighbourhood of what it simulates: layers that repeat others are
// left out (workload/shorten.h), and of long steady stretches within an operator a part is measured
// (lowering/cut.h). Every operator of the step then has counts, losses and engine times, its own or those of
// the operator that stands for it; their sums are the step's. Counts that are linear in commands (bytes,
// products) come out exactly; times to a femtosecond a piece. So the checks of a full run hold for an
// extrapolated one.
//
// error_estimate, relative to the time: by how much instances that should agree do not. For a stretch, its
// two measured halves; for an operator that stands for others, its spread among the simulated operators of
// the same shape. Summed as independent. It does not see an error that all instances share.
#pragma once

#include "activity/snapshot.h"
#include "config/npu.h"
#include "lowering/cut.h"
#include "lowering/wishes.h"
#include "simulate/extrapolated.h"
#include "workload/shorten.h"

namespace edgenpu::simulate_detail {

class StepPlan {
 public:
  // memo = false: everything is simulated.
  StepPlan(const workload::Trace& trace, const config::Npu& npu, bool memo);

  const lowering::Program& program() const { return cut_.program; }
  Extrapolated extrapolate(const activity::Snapshot& simulated) const;

 private:
  lowering::Wishes wishes_;  // of the full trace
  workload::ShortTrace short_;
  lowering::CutProgram cut_;
};

}  // namespace edgenpu::simulate_detail
