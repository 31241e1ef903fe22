// A clock by its frequency: instants are whole cycles since time 0, computed from the cycle's number and
// never added up, so that a period that is no whole number of femtoseconds does not drift.
#pragma once

#include <systemc>

#include "base/rates.h"

namespace edgenpu::hardware {

inline Femtoseconds now_fs() {
  return Femtoseconds(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
}
inline sc_core::sc_time to_sc(Femtoseconds t) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.count()));
}

class ClockDomain {
 public:
  explicit ClockDomain(Hertz clock) : clock_(clock) {}
  // `cycles` after the first edge at or after `start`.
  Femtoseconds after(Femtoseconds start, Cycles cycles) const {
    return time_of(cycle_at_or_after(start, clock_) + cycles, clock_);
  }
  Hertz frequency() const { return clock_; }

 private:
  Hertz clock_;
};

}  // namespace edgenpu::hardware
