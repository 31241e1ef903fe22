// A register that integer products are added in: so many bits, saturating or wrapping, with low bits of each
// product cut.
#pragma once

#include <cstdint>

#include "numerics/npu_options.h"

namespace edgenpu::numerics {

class Accumulator {
 public:
  explicit Accumulator(const NpuArithmetic& e)
      : low_(-(std::int64_t{1} << (e.accumulator_bits - 1))),
        high_((std::int64_t{1} << (e.accumulator_bits - 1)) - 1),
        dropped_(e.dropped_bits),
        half_(e.dropped_bits > 0 && e.cut == Cut::nearest ? std::int64_t{1} << (e.dropped_bits - 1) : 0),
        wraps_(e.overflow == Overflow::wrap) {}

  // What a product becomes before it is added.
  std::int64_t cut(std::int64_t product) const { return (product + half_) >> dropped_; }
  // sum + addend as the register holds it.
  std::int64_t add(std::int64_t sum, std::int64_t addend) const {
    sum += addend;
    if (sum >= low_ && sum <= high_) return sum;
    if (!wraps_) return sum < low_ ? low_ : high_;
    const std::int64_t range = high_ - low_ + 1;
    return ((sum - low_) % range + range) % range + low_;
  }
  // The number that a register's content stands for.
  float value(std::int64_t content) const {
    return static_cast<float>(content * (std::int64_t{1} << dropped_));
  }

 private:
  std::int64_t low_, high_;
  int dropped_;
  std::int64_t half_;
  bool wraps_;
};

}  // namespace edgenpu::numerics
