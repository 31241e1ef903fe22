// Measured joules a token beside what the energy tables predict. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace edgenpu::result {

struct EnergyAnchor {
  std::string id, hardware, model, quant, scope, rail, source;
  std::int64_t context = 0;
  bool fitted = false;  // the table was fitted to it: no prediction
  double measured_J = 0, measured_tokens_per_s = 0;
  double predicted_J = 0, predicted_tokens_per_s = 0;

  double error() const { return predicted_J / measured_J - 1; }
};

}  // namespace edgenpu::result
