// Integers that cannot wrap. Sums of simulated times and of counts go through Quantity (base/quantity.h) or
// through these functions: a value beyond 64 bits is an OverflowError, never a wrong number. Intermediate
// products and sums over channels, cores and operators are kept as Wide, which holds any product of two
// 64-bit values.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace edgenpu {

__extension__ using Wide = __int128;

// A step whose times or counts 64-bit integers cannot hold: valid input, nothing that can be simulated.
class OverflowError : public InfeasibleError {
 public:
  using InfeasibleError::InfeasibleError;
};

// `what` would not fit: "a count", "a time in femtoseconds".
[[noreturn]] void overflow(const char* what);
// The time is known: says how long it is, and what the limit is.
[[noreturn]] void time_overflow(double seconds);

// Rep: std::int64_t or Wide.
template <class Rep>
constexpr Rep checked_add(Rep a, Rep b, const char* what = "a count") {
  Rep sum{};
  if (__builtin_add_overflow(a, b, &sum)) overflow(what);
  return sum;
}
template <class Rep>
constexpr Rep checked_sub(Rep a, Rep b, const char* what = "a count") {
  Rep difference{};
  if (__builtin_sub_overflow(a, b, &difference)) overflow(what);
  return difference;
}
template <class Rep>
constexpr Rep checked_mul(Rep a, Rep b, const char* what = "a count") {
  Rep product{};
  if (__builtin_mul_overflow(a, b, &product)) overflow(what);
  return product;
}
constexpr std::int64_t narrow(Wide value, const char* what = "a count") {
  if (value > INT64_MAX || value < INT64_MIN) overflow(what);
  return static_cast<std::int64_t>(value);
}
// The integer that a double holds, its fraction cut off.
constexpr std::int64_t truncated(double value, const char* what = "a count") {
  constexpr double kEnd = 9223372036854775808.0;
  if (!(value < kEnd && value >= -kEnd)) overflow(what);
  return static_cast<std::int64_t>(value);
}

}  // namespace edgenpu
