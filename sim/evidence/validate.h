// Simulates every row of a measurements file and holds the results against it.
//
// Each row becomes at most two steps: a decode step in the middle of its generation (tokens/s, J/token) and a
// prefill (tokens/s, time to first token, which is that of the prefill step). Equal steps run once; steps run
// in processes of their own, on all cores. A row that cannot be mapped, does not fit or fails keeps its
// reason. Energy is that of the scope or rail in which the row was measured; a row whose scope is not stated,
// or wider than the hardware's energy table covers, is not compared.
//
// A cache file keeps finished steps between calls (evidence/step_cache.h), keyed by everything that the result
// depends on, this program's own file among it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evidence/mapping.h"
#include "evidence/step_cache.h"
#include "result/validation.h"

namespace edgenpu::evidence {

struct PointNames {
  std::string platform, runtime;
};

// Steps by hardware tree and workload, each simulated once.
class PointRunner {
 public:
  PointRunner(int jobs, const std::string& cache);

  // The step's key. `scope`: of its energy (evidence/energy_scope.h); "": SoC and DRAM. Throws InputError for
  // hardware that cannot be resolved.
  std::string add(const StepRequest& request, const std::vector<config::Override>& overrides,
                  const std::string& scope = "");
  // The resolved hardware, and what it and its runtime are called.
  config::Value tree(const StepRequest& request, const std::vector<config::Override>& overrides);
  PointNames names(const StepRequest& request, const std::vector<config::Override>& overrides);
  // Runs what has been added and is not known yet; `progress(done, total)` after each.
  void run(const std::function<void(std::size_t, std::size_t)>& progress);
  const PointResult& result(const std::string& key) const { return results_.at(key); }
  double cpu_s() const { return cpu_s_; }

 private:
  struct Point {
    std::string key;
    StepRequest request;
    config::Value tree;
    std::string scope;
  };

  int jobs_;
  std::string cache_, tool_;
  std::map<std::string, config::HardwareFile> files_;
  std::vector<Point> waiting_;
  std::map<std::string, PointResult> results_;
  double cpu_s_ = 0;
};

struct ValidateRequest {
  std::string mapping, data_dir, cache;
  std::string hardware;  // map everything onto this file; "": by the table
  std::vector<std::string> metrics = {"decode", "prefill", "ttft", "energy"};
  std::string calibration;                  // file of found parameters to apply; "": none
  std::vector<config::Override> overrides;  // of all hardware
  int jobs = 0;
  std::function<void(std::size_t, std::size_t)> progress;
};

result::Validation validate(const Measurements& measurements, const ValidateRequest& request);

// Throws InputError with the reason of each row if none could be compared: there is nothing to report then.
void require_compared(const result::Validation& all, const Measurements& measurements);

// Summaries of the rows by metric: over all, by class, by platform.
std::vector<result::ErrorSummary> summarise(const std::vector<result::ValidationRow>& rows);

}  // namespace edgenpu::evidence
