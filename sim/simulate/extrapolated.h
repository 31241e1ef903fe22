// What follows from a run that left out repetitions.
#pragma once

#include "activity/snapshot.h"

namespace edgenpu::simulate_detail {

struct Extrapolated {
  activity::Snapshot run;  // of the full trace
  double simulated_fraction = 1, error_estimate = 0;
};

}  // namespace edgenpu::simulate_detail
