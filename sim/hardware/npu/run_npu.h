// Runs a program on the NPU with our memory. Calls sc_start: once a process (hardware/worker.h).
#pragma once

#include "activity/snapshot.h"
#include "config/npu.h"
#include "lowering/program.h"

namespace edgenpu::hardware {

// Throws InternalError if the simulation stops making progress; says what every queue waits for.
activity::Snapshot run_npu(const config::Npu& npu, const lowering::Program& program, bool burst_detail,
                           const activity::RecordOptions& record = {});

}  // namespace edgenpu::hardware
