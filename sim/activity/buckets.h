// Where an engine's time went. At each instant an engine is in exactly one bucket, so the buckets of an
// engine sum to the length of the run by construction.
#pragma once

#include <array>

#include "base/quantity.h"

namespace edgenpu::activity {

enum class Bucket { busy, wait_data, wait_space, wait_dependency, idle };
inline constexpr int kBuckets = 5;
inline constexpr std::array<const char*, kBuckets> kBucketNames = {"busy", "wait_data", "wait_space",
                                                                   "wait_dependency", "idle"};

using BucketTimes = std::array<Femtoseconds, kBuckets>;

class BucketClock {
 public:
  // Leaves the current bucket at `now` (not before the last call) and enters another. Starts idle at time 0.
  void enter(Bucket bucket, Femtoseconds now);
  // The times up to `end`, which may not lie before the last entry.
  BucketTimes finish(Femtoseconds end) const;
  Bucket current() const { return current_; }

 private:
  BucketTimes times_{};
  Bucket current_ = Bucket::idle;
  Femtoseconds since_{0};
};

}  // namespace edgenpu::activity
