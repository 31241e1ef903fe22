// What a published figure is worth, beside a simulated one and the bound of physics. Pure functions.
//
//   impossible        beyond the memory roof of the named hardware (energies: TDP over that roof)
//   implausibly slow  a throughput or latency whose share of peak bandwidth is below half of the median of
//                     its device class in published measurements
//   agrees            within 15 % of the simulated value
//   differs           otherwise
#pragma once

#include <optional>
#include <string>

#include "result/comparison.h"

namespace edgenpu::evidence {

inline constexpr double kAgreement = 0.15;
// Printed figures are rounded to three digits.
inline constexpr double kRounding = 0.005;

struct Yardstick {
  double roof_tokens_per_s = 0;        // memory roof at peak bandwidth
  std::optional<double> tokens_per_s;  // simulated
  std::optional<double> tdp_W;
  std::optional<double> median_share;  // of the device class
};

// `metric` is one of result::kPublishedMetrics.
result::PublishedCell judge(const std::string& metric, double published, const Yardstick& yardstick);

}  // namespace edgenpu::evidence
