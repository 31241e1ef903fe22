// A bounded pool of processes, one a job: a crash, a hang or a runaway allocation takes its own job only.
//
// Call it while the process has a single thread and no database open. A job runs in a child process
// (process/child_process.h) and sends text back; children die with the parent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/outcome.h"

namespace edgenpu::process {

// Of this machine.
int processors();

struct JobLimits {
  double timeout_s = 0;       // wall clock; 0: none
  std::int64_t memory_B = 0;  // of address space; 0: none
};

struct Finished {
  std::int64_t job = 0;
  Outcome<std::string> outcome;
  double cpu_s = 0, wall_s = 0;
  std::int64_t peak_rss_B = 0;
};

using Work = std::function<std::string()>;

// Runs the work of each of `jobs`, at most `width` at a time (fewer where the system has no descriptors or processes
// left for as many), and hands over outcomes in the order in which they finish. `prepare` gives a job's work; it is
// called in this process, just before the job's own is forked. An exception that leaves either ends the job.
void run_pool(const std::vector<std::int64_t>& jobs, int width, const JobLimits& limits,
              const std::function<Work(std::int64_t)>& prepare,
              const std::function<void(Finished)>& on_finished);

}  // namespace edgenpu::process
