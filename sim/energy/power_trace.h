// Power over time: the recorded counts x prices, window by window, and static power x the window's length.
//
// Prices are linear in the counts and counts of windows sum to the run's, so the windows' joules sum to the
// run's energy, component by component (floating-point rounding, 1e-12, apart). Clocks and regulator follow
// what they feed within the same window.
//
// A trace has windows of one length; the last one is shorter. resample() spreads a window's joules evenly
// over its length, so energy is kept for any new length; repeat() puts runs end to end, as a steady decode
// does.
#pragma once

#include <string>
#include <vector>

#include "activity/snapshot.h"
#include "energy/price.h"

namespace edgenpu::energy {

struct PowerTrace {
  Scope scope = Scope::soc_dram;
  Femtoseconds window{1}, time{0};
  std::vector<std::string> names;           // components or blocks
  std::vector<std::vector<double>> energy;  // [name][window], joules

  std::size_t size() const { return energy.empty() ? 0 : energy.front().size(); }
  Femtoseconds start(std::size_t w) const { return window * static_cast<std::int64_t>(w); }
  Femtoseconds length(std::size_t w) const;
  Joules total(std::size_t name) const;
  Joules total() const;
  Watts power(std::size_t name, std::size_t w) const;
  Watts power(std::size_t w) const;  // of all
};

// Of a run that was recorded (InternalError otherwise).
PowerTrace power_over_time(const activity::Snapshot& run, const Prices& prices, Scope scope);

PowerTrace resample(const PowerTrace& trace, Femtoseconds window);

// `times` runs end to end, in windows of `window`.
PowerTrace repeat(const PowerTrace& trace, std::int64_t times, Femtoseconds window);

struct Peak {
  Femtoseconds window{0};
  Watts peak{0}, mean{0};
  double at_s = 0;        // start of the window with the peak
  bool repeated = false;  // longer than half the run: of the run repeated without a pause
};

// Windows of 1, 10, ... from the trace's own up to 1 s. The last, shorter window counts only if there is no
// other.
std::vector<Peak> peaks(const PowerTrace& trace);

}  // namespace edgenpu::energy
