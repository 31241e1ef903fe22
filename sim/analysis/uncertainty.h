// How sure a result is: every ranged and every assumed number of the hardware and its energy table is drawn
// at random, and the step is priced again.
//
// Numbers outside `energy` change what happens, so each hardware draw is a simulation (all processors);
// prices are tried on the counts of those, without another. A draw that the schema or the model refuses is
// left out and counted. Draws are stratified (Latin hypercube): each number's quantiles are spread evenly
// over its draws.
//
// First-order shares of the variance: an energy price alone, at nine evenly spaced quantiles with everything
// else as described; all hardware numbers together, their draws at the described prices; of that part, a
// hardware number has its squared correlation over the draws (with few draws a share below 2 / draws means
// nothing). What is left to 100 % comes from numbers acting together.
//
// Numbers are drawn independently. Same seed, same result, whatever the number of workers.
#pragma once

#include <cstdint>

#include "result/uncertainty.h"
#include "simulate.h"

namespace edgenpu::analysis {

struct UncertaintyOptions {
  std::int64_t draws = 2000;         // of prices
  std::int64_t hardware_draws = 32;  // simulations
  std::uint64_t seed = 1;
  double assumed_factor = 1.5;  // either way, for numbers without a range
  int jobs = 0;                 // 0: one a processor
};

// Throws as simulate().
result::Uncertainty uncertainty(const StepRequest& request, const UncertaintyOptions& options);

// P(a < b) for independent draws.
double probability_less(std::vector<double> a, std::vector<double> b);

}  // namespace edgenpu::analysis
