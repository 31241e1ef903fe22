// Runs the points of a study on all cores and keeps the results.
//
// Three kinds of processes: this one writes the results and reports; a scheduler, forked before the results
// are opened, forks one process a point (process/pool.h). Each row is written as it arrives, in a transaction of its
// own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sweep/expand.h"

namespace edgenpu::sweep {

struct SweepOptions {
  std::string results;  // file
  std::string tool;     // version and commit
  int jobs = 1;
  // Keeps the rows that are there, except failed ones; what constraints say about them is worked out anew.
  bool resume = false;
  bool fail_fast = false;
  std::int64_t shard = 1, shards = 1;  // runs the points whose number is `shard` modulo `shards`
};

struct SweepState {
  std::int64_t total = 0;   // to run now
  std::int64_t reused = 0;  // there already, or need no run
  std::int64_t unrun = 0;   // of `done`: infeasible by their inputs alone
  std::int64_t done = 0, ok = 0, infeasible = 0, failed = 0;
  double seconds = 0, cpu_s = 0;              // wall clock; CPU of the points
  bool interrupted = false, stopped = false;  // stopped: by fail_fast
  std::string last_failure;
  // At the end: all points of the study by status, and what the results say about the study itself.
  std::map<std::string, std::int64_t> statuses;
  std::vector<std::string> notes;
};

// `report` is called at least once a second and after each row. Throws InputError when the results cannot be
// written.
SweepState run_sweep(const Expansion& expansion, const SweepOptions& options,
                     const std::function<void(const SweepState&)>& report);

}  // namespace edgenpu::sweep
