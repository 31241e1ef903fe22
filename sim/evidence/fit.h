// The pure arithmetic of a calibration: how rows respond to factors, and the best factors.
#pragma once

#include <vector>

namespace edgenpu::evidence {

// log(time at a factor / time as described) of one row, piecewise linear in log factor.
struct Response {
  std::vector<double> log_factor, log_time;  // ascending

  double at(double log_factor) const;
};

struct FitRow {
  double log_error = 0;             // log(simulated / measured) as described
  std::vector<Response> responses;  // [parameter]
  double together = 0;              // what factors that differ from 1 do besides, near where it was found

  // With the first parameters at these logs of factors, the others as described. `together` counts where
  // there are any.
  double error_at(const std::vector<double>& log_factors) const;
};

// Logs of factors that minimise the mean |error|; [parameter] bounds are those of the rows' responses. Empty
// if there are fewer than five rows.
std::vector<double> fit(const std::vector<const FitRow*>& rows, std::size_t parameters);

// At most one parameter per five rows.
std::size_t allowed_parameters(std::size_t rows, std::size_t wanted);

}  // namespace edgenpu::evidence
