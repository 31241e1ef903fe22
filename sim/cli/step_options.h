// The inputs of a step, shared by every subcommand that simulates or describes one.
#pragma once

#include "cli/options.h"
#include "simulate.h"

namespace edgenpu::cli {

// --model, --quant, --phase, --context, --prompt, --batch, --kv
void add_workload_options(po::options_description& options);
// Fills the workload part of a request.
void read_workload_options(const po::variables_map& values, StepRequest& request);

// Those, --hardware, --trace, --set, --detail and --repeat: all inputs of a step.
void add_step_options(po::options_description& options);
StepRequest step_request(const po::variables_map& values);

}  // namespace edgenpu::cli
