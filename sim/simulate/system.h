// A run of a system (config/system.h): its programs at the same time on one memory, each with its own result.
//
// Each program is simulated in full (--repeat full): what units do to each other does not repeat. A program's time is
// until its own last command; energy is billed for the whole run: a program pays its units, the DRAM actions for its
// operators, and an equal part of what no program causes alone (static power of what is shared, units without work).
#pragma once

#include "result/system_result.h"
#include "simulate.h"

namespace edgenpu {

// Throws InputError, InfeasibleError, InternalError.
result::SystemResult simulate_system(const StepRequest& request, const config::Value& tree);

}  // namespace edgenpu
