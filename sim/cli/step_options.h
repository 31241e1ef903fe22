// The inputs of a step, shared by every subcommand that simulates or describes one.
#pragma once

#include "cli/options.h"
#include "simulate.h"

namespace edgenpu::cli {

// --model, --quant, --phase, --context, --prompt, --batch, --kv
void add_workload_options(po::options_description& options);
// Their names.
const std::vector<std::string>& workload_options();
// Fills the workload part of a request.
void read_workload_options(const po::variables_map& values, StepRequest& request);

// Those, --hardware, --trace and --set: what a step is.
void add_step_options(po::options_description& options);
// --detail, and also --repeat: how it is simulated.
void add_detail_option(po::options_description& options);
void add_simulation_options(po::options_description& options);
StepRequest step_request(const po::variables_map& values);

}  // namespace edgenpu::cli
