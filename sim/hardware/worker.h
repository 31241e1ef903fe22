// Runs one simulation in a child process and brings its snapshot back through a pipe: SystemC has one
// simulation context a process, and a crash or a runaway allocation stays in the child.
//
// Call it while the process has a single thread. Errors of the three kinds come back as themselves; a child
// that dies is an InternalError that names the signal.
#pragma once

#include <functional>

#include "activity/snapshot.h"

namespace edgenpu::hardware {

struct WorkerResult {
  activity::Snapshot snapshot;
  double cpu_s = 0;             // of the child
  std::int64_t peak_rss_B = 0;  // of the child
};

WorkerResult run_in_worker(const std::function<activity::Snapshot()>& simulation);

// In this process, which must not have run SystemC before: for a process that exists for this one simulation.
// CPU seconds and memory are then those of the whole process so far.
WorkerResult run_here(const std::function<activity::Snapshot()>& simulation);

}  // namespace edgenpu::hardware
