// Why a step takes as long as it does: the step itself, what would happen if one number of its hardware were
// different, and what that says. Plain data; the printers are in report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/step_result.h"

namespace edgenpu::result {

// One number of the hardware, or several that change together (the decoders of all formats).
struct WhatIf {
  struct Outcome {
    std::string value;        // as it would stand in the file; of the first number
    double tokens_per_s = 0;  // relative changes: 0.02 is 2 % more
    std::optional<double> energy_J_per_token, edp_J_s;
    std::string infeasible;  // why there is none
  };
  std::string path;   // "dma.channels", "matrix.decode.*"
  std::string value;  // now
  std::optional<Outcome> less,
      more;  // 10 % less and more, whole numbers at least one; absent where there is none
  std::optional<Outcome> relaxed;  // twice as good
};

// Time of the step by the resource that it waited for, in seconds; they sum to the step's time.
struct ResourceTime {
  std::string resource, meaning;
  double seconds = 0;
};

struct Explanation {
  StepResult step;
  std::vector<ResourceTime> critical_path;
  std::vector<WhatIf> what_if;
  // The number, bandwidth and clock apart, of which twice as much closes most of the gap to the memory's
  // roof; empty if none closes a twentieth of it, or there is no gap to speak of, or compute is the roof.
  std::string cause;
  double cause_closes = 0;  // share of the gap, 0 to 1
  std::string verdict;      // one or two sentences
};

}  // namespace edgenpu::result
