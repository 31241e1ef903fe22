// What happened when: integer amounts of named series by window of time. Recorded only if somebody asks, for
// power over time.
//
// An amount that falls into a stretch of time is spread evenly over it, in whole numbers: what lies before a
// border is the stretch's amount x the time up to the border, rounded down. So the windows of a series always
// sum to what was added to it, exactly, and merging windows loses nothing.
//
// The window is given, or chosen: recording starts at the given one and, when a run has more than `most`
// windows, merges ten into one. A fixed window with more is an InfeasibleError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace edgenpu::activity {

struct RecordOptions {
  Femtoseconds window{0};  // 0: nothing is recorded
  bool fixed = false;      // the window may not grow
  std::size_t most = std::size_t{1} << 18;
  // Instead of windows: the first DRAM commands of each channel; the run ends when they are there.
  std::int64_t dram_commands = 0;
};

// The plain data of a recording.
struct Windows {
  Femtoseconds window{0};                          // 0: nothing was recorded
  std::vector<std::string> names;                  // of the series
  std::vector<std::vector<std::int64_t>> amounts;  // [series][window]; all of one length

  bool recorded() const { return window > Femtoseconds(0); }
  std::size_t size() const { return amounts.empty() ? 0 : amounts.front().size(); }
  // nullptr if there is no such series.
  const std::vector<std::int64_t>* find(const std::string& name) const;
};

class Timeline {
 public:
  explicit Timeline(const RecordOptions& options) : options_(options), window_(options.window) {}

  // The number of a new series, or of the one of that name.
  std::size_t declare(const std::string& name);

  // From `start` to `end`; an instant if they are equal.
  void add(std::size_t series, std::int64_t amount, Femtoseconds start, Femtoseconds end);

  // Of a run that ended at `end`: what was booked later (it cost no one time) falls into the last window.
  Windows finish(Femtoseconds end) const;

 private:
  std::size_t window_of(Femtoseconds t) const {
    return static_cast<std::size_t>(t.count() / window_.count());
  }
  std::int64_t& at(std::size_t series, std::size_t window);
  void coarsen();

  RecordOptions options_;
  Femtoseconds window_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::int64_t>> amounts_;
};

}  // namespace edgenpu::activity
