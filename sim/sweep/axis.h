// The values of one axis, and samples over several.
//
// A range gives `steps` values from `from` to `to` (both included), evenly spaced or in even ratios (scale:
// log), or every `step` from `from` on. Its values carry the unit of `from`; between two whole numbers they
// are whole. Samples come from a generator of our own (SplitMix64), so that a seed means the same points on
// every machine; a sample that repeats an earlier one is drawn again, since two equal points are no
// information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/reader.h"
#include "sweep/study_file.h"

namespace edgenpu::sweep {

// Findings go to `out`, and the axis then has no values.
std::vector<config::Value> axis_values(const std::string& path, const config::Value& form, Diagnostics& out);

enum class Sampling { random, latin_hypercube };

// `form` is {points:, seed:, over: {path: values or range}}.
Group sample(Sampling kind, const config::Value& form, Diagnostics& out);

// Sebastiano Vigna's SplitMix64 (public domain reference, prng.di.unimi.it).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double unit();                         // [0, 1)
  std::size_t below(std::size_t limit);  // [0, limit), limit > 0

 private:
  std::uint64_t state_;
};

}  // namespace edgenpu::sweep
