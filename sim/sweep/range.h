// An axis as a continuum: a number between two ends, with the unit that `from` was written in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/reader.h"

namespace edgenpu::sweep {

class Range {
 public:
  // From {from:, to:, ...}; nullopt, with findings in `out`, if it is not a range. The keys beyond from, to,
  // step and scale are the caller's.
  static std::optional<Range> read(const std::string& path, config::MapReader& form, Diagnostics& out);

  // The value at a share of the way, 0 to 1; a multiple of `step` from `from` if there is one.
  config::Value at(double share) const;
  std::vector<config::Value> every_step() const;
  bool has_step() const { return step_ > 0; }
  bool is_log() const { return log_; }
  // How many values `at` can give; infinity for a continuum.
  double count() const;

 private:
  config::Value value(double number) const;

  double from_ = 0, to_ = 0, step_ = 0;
  bool log_ = false, whole_ = false;
  std::string unit_;
  Position where_;
};

}  // namespace edgenpu::sweep
