// A bounded pool of processes, one a job: a crash, a hang or a runaway allocation takes its own job only.
//
// Call it while the process has a single thread and no database open. A job runs in a child process
// (process/child_process.h) and sends text back; children die with the parent.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace edgenpu::process {

// Of this machine.
int processors();

struct JobLimits {
  double timeout_s = 0;       // wall clock; 0: none
  std::int64_t memory_B = 0;  // of address space; 0: none
};

struct Finished {
  std::int64_t job = 0;
  bool ok = false;   // the job returned; `text` is what it returned
  std::string text;  // else: what ended it
  double cpu_s = 0, wall_s = 0;
  std::int64_t peak_rss_B = 0;
};

// Runs `work` for each of `jobs`, at most `width` at a time (fewer where the system has no descriptors or processes
// left for as many), and hands over results in the order in which they finish. An exception that leaves `work` ends
// its job: `text` is its message.
void run_pool(const std::vector<std::int64_t>& jobs, int width, const JobLimits& limits,
              const std::function<std::string(std::int64_t)>& work,
              const std::function<void(Finished)>& on_finished);

}  // namespace edgenpu::process
