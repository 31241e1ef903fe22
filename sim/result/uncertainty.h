// What is not known about a step's result, from sampling what is not known about its inputs. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgenpu::result {

struct Percentiles {
  std::string name;  // "tokens_per_s", "energy_J_per_token", "power_W", "edp_J_s", "energy_J.matrix"
  double nominal = 0, p5 = 0, p50 = 0, p95 = 0;
};

// One uncertain input and what it does to the energy of a token.
struct InputEffect {
  std::string name, path, text, source;
  double energy_share = 0, edp_share = 0;  // of the variance, by itself (first order)
  // J/token with this input alone at its 5 % and 95 % quantile; of hardware numbers not tried one by one:
  // nominal.
  double low = 0, high = 0;
};

struct Uncertainty {
  std::int64_t draws = 0, hardware_draws = 0, rejected = 0;
  std::uint64_t seed = 0;
  std::string rejection;             // why one was refused
  std::vector<Percentiles> metrics;  // the first four, then components
  std::vector<InputEffect> inputs;   // of prices and of hardware numbers, largest energy_share first
  double hardware_energy_share = 0, hardware_edp_share = 0;  // of all hardware numbers together
  std::vector<double> edp;                                   // [draw], J s
};

}  // namespace edgenpu::result
