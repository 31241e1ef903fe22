// Unit types. A quantity is a number that knows its unit: bytes cannot be added to cycles, and a count cannot
// lose bits silently. Counts are 64-bit integers; simulated time is an integer number of femtoseconds (2^63
// fs is 2.5 hours, longer than any step); energies and reported seconds are doubles.
//
// Left out: automatic products of units. The few that the simulator needs are named functions in rates.h, so
// that each rounding is visible.
#pragma once

#include <cstdint>

namespace edgenpu {

template <class Tag, class Rep>
class Quantity {
 public:
  using rep = Rep;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}

  constexpr Rep count() const { return value_; }

  constexpr Quantity& operator+=(Quantity o) { return value_ += o.value_, *this; }
  constexpr Quantity& operator-=(Quantity o) { return value_ -= o.value_, *this; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.value_); }
  friend constexpr Quantity operator*(Quantity a, Rep k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(Rep k, Quantity a) { return Quantity(k * a.value_); }
  friend constexpr Quantity operator/(Quantity a, Rep k) { return Quantity(a.value_ / k); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

  friend constexpr bool operator==(Quantity a, Quantity b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Quantity a, Quantity b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value_ >= b.value_; }

 private:
  Rep value_{};
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Cycles = Quantity<struct CyclesTag, std::int64_t>;
using Macs = Quantity<struct MacsTag, std::int64_t>;
using Hertz = Quantity<struct HertzTag, std::int64_t>;
using Femtoseconds = Quantity<struct FemtosecondsTag, std::int64_t>;

using Seconds = Quantity<struct SecondsTag, double>;
using Joules = Quantity<struct JoulesTag, double>;
using Watts = Quantity<struct WattsTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;

}  // namespace edgenpu
