// Runs simulations in child processes (process/child_process.h) and brings their snapshots back: SystemC has one
// simulation context a process, and a crash or a runaway allocation stays in the child.
//
// Call them while the process has a single thread. Errors of the three kinds come back as themselves, memory that
// runs out as an InfeasibleError; a child that dies is an InternalError that names the signal.
#pragma once

#include <functional>
#include <vector>

#include "activity/snapshot.h"
#include "base/outcome.h"

namespace edgenpu::hardware {

using Simulation = std::function<activity::Snapshot()>;

struct WorkerResult {
  activity::Snapshot snapshot;
  double cpu_s = 0;             // of the child
  std::int64_t peak_rss_B = 0;  // of the child
};

WorkerResult run_in_worker(const Simulation& simulation);

// `n` simulations, at most `jobs` children at a time; outcomes in the order of the numbers. `prepare` is
// called in this process, just before the child is forked.
std::vector<Outcome<WorkerResult>> run_in_workers(std::size_t n, int jobs,
                                                  const std::function<Simulation(std::size_t)>& prepare);

// In this process, which must not have run SystemC before: for a process that exists for this one simulation.
// CPU seconds and memory are then those of the whole process so far.
WorkerResult run_here(const Simulation& simulation);

}  // namespace edgenpu::hardware
