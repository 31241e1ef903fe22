// The result of a comparison of platforms: simulated rows with what was published about them beside. Plain
// data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/step_result.h"
#include "result/uncertainty.h"

namespace edgenpu::result {

enum class VerdictKind { agrees, differs, impossible, implausibly_slow };
inline constexpr std::array<const char*, 4> kVerdictNames = {"agrees", "differs", "impossible",
                                                             "implausibly_slow"};

// factor: published / simulated; for impossible, how far beyond the bound (above 1); for implausibly_slow,
// the share of peak bandwidth over the median of the device class (below 0.5).
struct Verdict {
  VerdictKind kind = VerdictKind::agrees;
  double factor = 1;
  std::string detail;
};

// What tables that take TDP for power would show.
struct AtTdp {
  double tdp_W = 0, J_per_token = 0, tokens_per_J = 0, edp_J_s = 0;
};

// The metrics that a published table may give, in the order in which they are shown.
inline constexpr std::array<const char*, 5> kPublishedMetrics = {"tokens_per_s", "ms_per_token",
                                                                 "J_per_token", "tokens_per_J", "edp_J_s"};

struct PublishedCell {
  double value = 0;
  std::optional<double> simulated;  // the simulated value it is held against; energies at TDP
  std::optional<double> bound;      // that no such device can beat
  Verdict verdict;
};

struct ComparisonRow {
  std::string platform, hardware, device_class;
  std::string model, quant;
  std::int64_t context = 0;
  std::string infeasible;  // why nothing was simulated; then only the published part holds
  std::optional<StepResult> step;
  double peak_B_per_s = 0, used_B_per_s = 0;
  std::optional<AtTdp> at_tdp;
  std::map<std::string, PublishedCell> published;  // by metric
  std::optional<double> normalised, published_normalised;
  std::optional<Uncertainty> uncertainty;  // if asked for
};

struct Ratio {
  std::string metric;
  std::optional<double> simulated, published;
};

// How probable it is that the energy-delay product of row `a` is the smaller one, their inputs drawn
// independently.
struct EdpOdds {
  std::size_t a = 0, b = 0;  // rows
  double probability = 0;
};

struct Comparison {
  std::string source;     // of the published rows; "" if there are none
  std::string normalise;  // none, bandwidth, power
  std::string power_scope;
  std::vector<ComparisonRow> rows;
  std::vector<Ratio> npu_to_gpu;               // the first NPU over the first GPU
  std::map<std::string, double> median_share;  // of peak bandwidth, by device class
  std::vector<EdpOdds> edp_odds;               // of each pair of rows, if uncertainty was asked for
  std::vector<std::string> notes;

  bool all_checks_ok() const {
    for (const ComparisonRow& r : rows)
      if (r.step && !r.step->all_checks_ok()) return false;
    return true;
  }
};

}  // namespace edgenpu::result
