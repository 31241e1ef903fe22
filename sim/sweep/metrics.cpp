#include "sweep/metrics.h"

#include <functional>
#include <optional>
#include <utility>

namespace edgenpu::sweep {

using result::Cell;
using result::StepResult;

namespace {

Cell cell(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

// Sweeps have one set of columns: work of a chip's CPU goes with `compute`, hand-overs with `issue`.
double of_cores(const StepResult& r, activity::Loss l) {
  using activity::Loss;
  const auto at = [&](Loss x) { return r.losses_s[static_cast<std::size_t>(x)]; };
  return l == Loss::compute ? at(Loss::cores) : l == Loss::issue ? at(Loss::handover) : 0;
}

using Getter = std::function<Cell(const StepResult&)>;

std::vector<std::pair<std::string, Getter>> outputs() {
  std::vector<std::pair<std::string, Getter>> list = {
      {"tokens_per_s", [](const StepResult& r) { return r.metrics.tokens_per_s; }},
      {"ms_per_token", [](const StepResult& r) { return r.metrics.ms_per_token; }},
      {"ttft_ms", [](const StepResult& r) { return cell(r.metrics.ttft_ms); }},
      {"energy_J_per_token", [](const StepResult& r) { return cell(r.metrics.energy_J_per_token); }},
      {"tokens_per_J", [](const StepResult& r) { return cell(r.metrics.tokens_per_J); }},
      {"power_W", [](const StepResult& r) { return cell(r.metrics.power_W); }},
      {"edp_J_s", [](const StepResult& r) { return cell(r.metrics.edp_J_s); }},
      {"dram_read_B", [](const StepResult& r) { return r.metrics.dram_read_B; }},
      {"dram_write_B", [](const StepResult& r) { return r.metrics.dram_write_B; }},
      {"dram_transferred_B", [](const StepResult& r) { return r.metrics.dram_transferred_B; }},
      {"dram_refetched_B", [](const StepResult& r) { return r.metrics.dram_refetched_B; }},
      {"dram_utilisation", [](const StepResult& r) { return cell(r.metrics.dram_utilisation); }},
      {"matrix_utilisation", [](const StepResult& r) { return cell(r.metrics.matrix_utilisation); }},
      {"area_mm2", [](const StepResult& r) { return cell(r.metrics.area_mm2); }},
      {"memory_tokens_per_s", [](const StepResult& r) { return cell(r.roofline.memory_tokens_per_s); }},
      {"compute_tokens_per_s", [](const StepResult& r) { return r.roofline.compute_tokens_per_s; }},
      {"fraction_of_roof", [](const StepResult& r) { return r.roofline.fraction_of_roof; }},
      {"time_s", [](const StepResult& r) { return r.total_s; }},
  };
  for (std::size_t i = 0; i < activity::kCommonLosses; ++i)
    list.push_back({std::string("loss_") + activity::kLossNames[i] + "_s", [i](const StepResult& r) {
                      return r.losses_s[i] + of_cores(r, static_cast<activity::Loss>(i));
                    }});
  list.push_back({"simulated_fraction", [](const StepResult& r) { return r.simulation.simulated_fraction; }});
  list.push_back({"error_estimate", [](const StepResult& r) { return r.simulation.error_estimate; }});
  return list;
}

const std::vector<std::pair<std::string, Getter>>& getters() {
  static const auto list = outputs();
  return list;
}

}  // namespace

const std::vector<std::string>& output_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> n;
    for (const auto& [name, get] : getters()) n.push_back(name);
    return n;
  }();
  return names;
}

std::vector<Cell> output_cells(const StepResult& result) {
  std::vector<Cell> cells;
  for (const auto& [name, get] : getters()) cells.push_back(get(result));
  return cells;
}

}  // namespace edgenpu::sweep
