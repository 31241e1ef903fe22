// Between a study's assignments and the request of a step.
#pragma once

#include <vector>

#include "config/resolve.h"
#include "simulate.h"

namespace edgenpu::sweep {

// The workload among the assignments; later ones win. Throws InputError at a value that is not allowed.
StepRequest request_of(const std::vector<config::Override>& assignments, const std::string& data_dir);

// The others: overrides of the hardware.
std::vector<config::Override> hardware_overrides(const std::vector<config::Override>& assignments);

// An error about an option ("--quant") or about the workload as a whole, blamed on the assignment behind it.
InputError blamed(const InputError& error, const std::vector<config::Override>& assignments);

}  // namespace edgenpu::sweep
