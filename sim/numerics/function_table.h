// A function on an interval as a vector engine's table holds it: equally spaced values in F16, linear in
// between, the ends beyond. Source: piecewise-linear tables as described for vector units of NPUs; sizes are
// the user's.
#pragma once

#include <algorithm>
#include <vector>

#include "numerics/half.h"

namespace edgenpu::numerics {

class FunctionTable {
 public:
  FunctionTable(float (*function)(float), float low, float high, int entries) : low_(low), high_(high) {
    for (int i = 0; i < entries; ++i)
      values_.push_back(round_to_half(
          function(low + (high - low) * static_cast<float>(i) / static_cast<float>(entries - 1))));
  }

  float low() const { return low_; }
  float high() const { return high_; }

  float operator()(float x) const {
    if (!(x > low_)) return values_.front();
    const float at = std::min((x - low_) / (high_ - low_), 1.0f) * static_cast<float>(values_.size() - 1);
    const std::size_t index = std::min(static_cast<std::size_t>(at), values_.size() - 2);
    const float fraction = at - static_cast<float>(index);
    return values_[index] + (values_[index + 1] - values_[index]) * fraction;
  }

 private:
  float low_, high_;
  std::vector<float> values_;
};

}  // namespace edgenpu::numerics
