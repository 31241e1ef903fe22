// An explanation of a step for people: the verdict, where the time went by resource, the ledger, the
// operators, and what one number more or less would change.
#pragma once

#include <string>

#include "report/json.h"
#include "result/explanation.h"

namespace edgenpu::report {

std::string text(const result::Explanation& explanation);

// { "schema", "tool", "verdict", "cause", "cause_closes", "critical_path_s": {}, "what_if": [ {"path",
// "value",
//   "less": {"value", "tokens_per_s", "energy_J_per_token", "edp_J_s"}, "more", "relaxed"} ], "step": as of
//   `run` }
std::string json(const result::Explanation& explanation, const Tool& tool);

}  // namespace edgenpu::report
