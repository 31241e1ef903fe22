// How far a sweep is: a line that renews itself on a terminal, a line every ten seconds elsewhere.
#pragma once

#include <ostream>
#include <string>

#include "sweep/sweep.h"

namespace edgenpu::cli {

// "37/500 points, 12.3 points/s, 1 failed, 38 s left"
std::string progress_line(const sweep::SweepState& state);

class SweepProgress {
 public:
  explicit SweepProgress(std::ostream& out);
  void show(const sweep::SweepState& state);
  // The last line, and where the results are.
  void finish(const sweep::SweepState& state, const std::string& results);

 private:
  void clear_line();

  std::ostream& out_;
  bool terminal_;
  bool announced_ = false;
  double shown_at_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace edgenpu::cli
