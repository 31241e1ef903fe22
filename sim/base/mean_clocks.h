// A mean number of clocks between events that come for ever, such as refreshes: a ratio, because the time that a
// standard gives is seldom a whole number of clocks (488.28125 ns are 390.625 CK at 800 MHz), and an interval
// that is rounded loses its error once each event. The events come at whole clocks, rounded down, so that the
// error of any number of them is less than one clock.
#pragma once

#include "base/rates.h"

namespace edgenpu {

class MeanClocks {
 public:
  constexpr MeanClocks() = default;  // never
  constexpr explicit MeanClocks(Cycles clocks) : clocks_(clocks.count()) {}
  MeanClocks(Femtoseconds time, Hertz clock)
      : MeanClocks(Wide{time.count()} * clock.count(), kFemtosecondsPerSecond) {}

  bool never() const { return clocks_ == 0; }
  double value() const { return static_cast<double>(clocks_) / static_cast<double>(events_); }
  // Clocks that n/of intervals take, rounded down.
  Cycles of(std::int64_t n, std::int64_t of = 1) const {
    return Cycles(static_cast<std::int64_t>(n * clocks_ / (Wide{events_} * of)));
  }
  Cycles whole() const { return of(1); }
  // Whole n/`of` intervals that have passed when clock `end` has: the largest n with of(n, of) <= end.
  std::int64_t passed(Cycles end, std::int64_t of = 1) const {
    return static_cast<std::int64_t>(((Wide{end.count()} + 1) * events_ * of - 1) / clocks_);
  }
  friend MeanClocks operator/(const MeanClocks& a, std::int64_t k) {
    return MeanClocks(a.clocks_, Wide{a.events_} * k);
  }

 private:
  MeanClocks(Wide clocks, Wide events) {
    Wide a = clocks, b = events;
    while (b != 0) {
      const Wide rest = a % b;
      a = b;
      b = rest;
    }
    clocks_ = clocks / a;
    events_ = static_cast<std::int64_t>(events / a);
  }

  Wide clocks_ = 0;
  std::int64_t events_ = 1;
};

}  // namespace edgenpu
