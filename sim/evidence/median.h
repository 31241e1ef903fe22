// The median of some numbers, at least one: the middle one, or the mean of the two in the middle.
#pragma once

#include <algorithm>
#include <vector>

namespace edgenpu::evidence {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace edgenpu::evidence
