// Unit types. A quantity is a number that knows its unit: bytes cannot be added to cycles, and a count cannot
// lose bits silently. Counts are 64-bit integers; simulated time is an integer number of femtoseconds (2^63
// fs is 9223 s, 2.56 hours); what passes the end of 64 bits is an OverflowError, never another number. Times
// summed over memory channels are 128 bits wide. Energies and reported seconds are doubles.
//
// Left out: automatic products of units. The few that the simulator needs are named functions in rates.h, so
// that each rounding is visible.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/checked.h"

namespace edgenpu {

template <class Tag, class Rep>
class Quantity {
 public:
  using rep = Rep;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}

  constexpr Rep count() const { return value_; }

  constexpr Quantity& operator+=(Quantity o) { return *this = *this + o; }
  constexpr Quantity& operator-=(Quantity o) { return *this = *this - o; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    if constexpr (std::is_floating_point_v<Rep>)
      return Quantity(a.value_ + b.value_);
    else
      return Quantity(checked_add(a.value_, b.value_, Tag::kWhat));
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    if constexpr (std::is_floating_point_v<Rep>)
      return Quantity(a.value_ - b.value_);
    else
      return Quantity(checked_sub(a.value_, b.value_, Tag::kWhat));
  }
  friend constexpr Quantity operator-(Quantity a) { return Quantity() - a; }
  friend constexpr Quantity operator*(Quantity a, Rep k) {
    if constexpr (std::is_floating_point_v<Rep>)
      return Quantity(a.value_ * k);
    else
      return Quantity(checked_mul(a.value_, k, Tag::kWhat));
  }
  friend constexpr Quantity operator*(Rep k, Quantity a) { return a * k; }
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

// kWhat: what it is called when it does not fit.
struct BytesTag {
  static constexpr const char* kWhat = "a number of bytes";
};
struct CyclesTag {
  static constexpr const char* kWhat = "a number of cycles";
};
struct MacsTag {
  static constexpr const char* kWhat = "a number of MACs";
};
struct HertzTag {
  static constexpr const char* kWhat = "a frequency in hertz";
};
struct FemtosecondsTag {
  static constexpr const char* kWhat = "a time in femtoseconds";
};

using Bytes = Quantity<BytesTag, std::int64_t>;
using Cycles = Quantity<CyclesTag, std::int64_t>;
using Macs = Quantity<MacsTag, std::int64_t>;
using Hertz = Quantity<HertzTag, std::int64_t>;
using Femtoseconds = Quantity<FemtosecondsTag, std::int64_t>;

using Seconds = Quantity<struct SecondsTag, double>;
using Joules = Quantity<struct JoulesTag, double>;
using Watts = Quantity<struct WattsTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;

}  // namespace edgenpu
