// A clock by its frequency: instants are whole cycles since time 0, computed from the cycle's number and
// never added up, so that a period that is no whole number of femtoseconds does not drift.
#pragma once

#include <systemc>

#include "base/rates.h"

namespace edgenpu::hardware {

// sc_time is unsigned: it ends at 18447 s, our times end at half of that, which is refused here.
inline Femtoseconds from_sc(const sc_core::sc_time& t) {
  if (t.value() > static_cast<sc_dt::uint64>(INT64_MAX))
    time_overflow(static_cast<double>(t.value()) * 1e-15);
  return Femtoseconds(static_cast<std::int64_t>(t.value()));
}
inline Femtoseconds now_fs() {
  return from_sc(sc_core::sc_time_stamp());
}
// What has not come yet; a time before now would wrap.
inline sc_core::sc_time to_sc(Femtoseconds t) {
  if (t < Femtoseconds(0)) throw InternalError("an event before the present");
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
