// A step with its power over time, and what its files need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "activity/snapshot.h"
#include "config/value.h"
#include "energy/blocks.h"
#include "energy/power_trace.h"
#include "energy/price.h"
#include "energy/table.h"
#include "result/step_result.h"
#include "simulate.h"

namespace edgenpu {

struct StepPower {
  result::StepResult result;
  config::Value tree;  // the hardware
  Hertz clock{1};
  energy::Table table;
  energy::Sizes sizes;
  energy::Prices prices;
  energy::StepEnergy energy;
  std::vector<energy::Block> blocks;
  energy::PowerTrace components, by_block;
  activity::Snapshot run;  // with its windows
};

// Counts and sizes of a step: what other prices can be tried on without another simulation.
struct StepCounts {
  activity::Snapshot run;
  energy::Sizes sizes;
  double tokens = 1;
};

// The step with its power over time in a scope. Simulated in full, whatever the request says of repeats.
StepPower simulate_power(const StepRequest& request, const activity::RecordOptions& record,
                         energy::Scope scope = energy::Scope::soc_dram);
// On a hardware tree that is resolved already.
StepPower simulate_power(const StepRequest& request, const config::Value& tree,
                         const activity::RecordOptions& record,
                         energy::Scope scope = energy::Scope::soc_dram);

// The first DRAM commands of the step, channel by channel, as DRAMPower reads them (hardware/memory/command_log.h). At
// burst detail, whatever the request says.
std::vector<std::string> simulate_dram_commands(const StepRequest& request, std::int64_t per_channel);

// The request's workload on each of several hardware trees, `jobs` at a time (0: one a processor): their
// counts. A tree that is refused or infeasible is an outcome; other errors are thrown.
std::vector<Outcome<StepCounts>> simulate_counts(const StepRequest& request,
                                                 const std::vector<config::Value>& trees, int jobs = 0);

}  // namespace edgenpu
