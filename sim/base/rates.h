// The products and quotients of units that the simulator uses, each with its rounding.
#pragma once

#include "base/quantity.h"

namespace edgenpu {

inline constexpr std::int64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

// ceil(a / b) for a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  if (b <= 0) throw InternalError("a quotient by no part");
  return a / b + (a % b != 0);
}

// The instant at which `cycles` whole cycles of `clock` have passed, rounded up to a femtosecond, so that no
// duration is ever shorter than physics. Exact in 128 bits: DDR5-4800's 416.67 ps period does not drift.
Femtoseconds time_of(Cycles cycles, Hertz clock);

// The first cycle of `clock` that starts at or after `time`.
Cycles cycle_at_or_after(Femtoseconds time, Hertz clock);

// Time to move `bytes` at `rate`, rounded up.
Femtoseconds time_of(Bytes bytes, BytesPerSecond rate);

constexpr Seconds to_seconds(Femtoseconds t) {
  return Seconds(static_cast<double>(t.count()) * 1e-15);
}

constexpr Joules operator*(Watts p, Seconds t) {
  return Joules(p.count() * t.count());
}
constexpr Watts operator/(Joules e, Seconds t) {
  return Watts(e.count() / t.count());
}

}  // namespace edgenpu
