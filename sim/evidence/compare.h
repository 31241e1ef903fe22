// The comparison of platforms: one simulated row for each hardware description, with published figures and
// verdicts beside, in one power scope.
//
// Rows are simulated at the same time, one process each (simulate_all). An infeasible row stays in the table
// with its reason. Published values are shown only for the model, quantisation and context that they are for.
// Errors: InputError, InternalError; power scopes that differ (InputError).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/comparison.h"

namespace edgenpu::evidence {

struct CompareRequest {
  std::vector<std::string> hardware;  // paths; empty: the rows of the published table
  std::string published;              // path of a table; "" for none
  // What the table says, unless given.
  std::optional<std::string> model, quant;
  std::optional<std::int64_t> context;
  std::string kv = "f16";
  std::vector<std::string> overrides;  // path=value, for every row
  std::string normalise = "none";
  std::string data_dir;
  int jobs = 0;  // 0: one a processor
  bool memo = true, burst_detail = false;
  std::int64_t uncertainty =
      0;  // simulations a row with other hardware numbers (analysis/uncertainty.h); 0: no ranges
  std::uint64_t seed = 1;
};

result::Comparison compare(const CompareRequest& request);

}  // namespace edgenpu::evidence
