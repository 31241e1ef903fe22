// The result of one simulated step: what `run` prints and what comparisons and studies collect. Plain data;
// the printers are in report/. A number that is not modelled is absent (nullopt), never 0.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "activity/buckets.h"
#include "activity/ledger.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::result {

struct Inputs {
  std::string hardware, model, quant, phase, kv_format, detail, repeat;
  std::int64_t context = 0, prompt = 0, batch = 1;
  std::string trace_file;  // "" unless a trace was replayed
  std::shared_ptr<const config::Value> resolved_hardware;
  std::string hardware_hash, trace_hash;
};

struct Metrics {
  double tokens_per_s = 0, ms_per_token = 0;
  std::optional<double> ttft_ms;  // prefill only
  std::optional<double> energy_J_per_token, tokens_per_J, power_W, edp_J_s;
  std::int64_t dram_read_B = 0, dram_write_B = 0, dram_transferred_B = 0, dram_refetched_B = 0;
  // Shares of peak, 0 to 1; absent where the peak is infinite.
  std::optional<double> dram_utilisation, matrix_utilisation;
  std::optional<double> area_mm2;
};

// Upper bounds on tokens/s; absent where the memory is ideal.
struct Roofline {
  std::optional<double> memory_tokens_per_s, memory_less_refresh_tokens_per_s,
      memory_less_refresh_and_row_misses_tokens_per_s;
  double compute_tokens_per_s = 0;
  double fraction_of_roof = 0;  // of the lowest bound
  std::string roof;             // what the lowest bound is: "memory" or "compute"
  // Decode: the batch from which on that is compute; absent where no batch reaches it or it is not known.
  std::optional<std::int64_t> compute_roof_from_batch;
};

using Losses = std::array<double, activity::kLosses>;  // seconds, in the order of activity::Loss

struct Engine {
  std::string name;
  std::array<double, activity::kBuckets> seconds{};
};

struct NamedCount {
  std::string name, unit, description;
  std::int64_t value = 0;
};

struct NamedEnergy {
  std::string component;
  double joules = 0;
};

struct OperatorResult {
  std::string name, kind;
  std::int64_t count = 1;  // operators of the trace that the row stands for
  double time_s = 0;       // its share of the step: the sum of its losses
  std::int64_t dram_B = 0, macs = 0;
  std::optional<double> energy_J;  // dynamic energy of its own counts
  Losses losses_s{};
  std::string runs_on;             // "cpu", "cpu: softmax" if it is placed there
  std::vector<NamedCount> counts;  // what the energy was priced from
};

struct Check {
  std::string name;
  bool ok = false;
  std::string detail;
};

struct Simulation {
  double cpu_s = 0, wall_s = 0;
  std::int64_t peak_rss_B = 0, events = 0;
  double simulated_fraction = 1;  // of the step's DRAM traffic; the rest was extrapolated (--repeat memo)
  double error_estimate = 0;      // of the step's time, relative: what the extrapolation may be off by
};

struct StepResult {
  Inputs inputs;
  Metrics metrics;
  Roofline roofline;
  Losses losses_s{};
  double total_s = 0;
  std::vector<Engine> engines;
  std::vector<NamedCount> counts;
  std::vector<NamedEnergy> energy_J;
  // The same by what it is for: memory, matrix, vector, cores, control, static (energy/split.h); shares of 1.
  std::vector<std::pair<std::string, double>> energy_split;
  std::string power_scope = "soc+dram";
  std::vector<OperatorResult> operators;
  std::vector<Check> checks;
  std::vector<std::string> notes;  // what the reader should know: assumptions met, transactions left out
  Simulation simulation;

  bool shares_memory = false, shares_program = false;  // with other programs; its operators with other units

  // How many of the losses can occur: those of the cores only where operators are placed on other units, contention
  // where programs share the memory.
  std::size_t losses() const {
    if (shares_memory) return activity::kLosses;
    if (shares_program) return activity::kPlacedLosses;
    for (const Engine& e : engines)
      if (e.name == "cpu") return activity::kPlacedLosses;
    return activity::kCommonLosses;
  }
  bool all_checks_ok() const {
    for (const Check& c : checks)
      if (!c.ok) return false;
    return true;
  }
};

}  // namespace edgenpu::result
