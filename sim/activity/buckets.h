// Where an engine's time went, and for which operator. At each instant an engine is in exactly one bucket and
// serves or awaits one operator (while idle, the last one), so the buckets of an engine sum to the length of
// the run by construction.
#pragma once

#include <array>
#include <vector>

#include "activity/operators.h"
#include "base/quantity.h"

namespace edgenpu::activity {

enum class Bucket { busy, wait_data, wait_space, wait_dependency, idle };
inline constexpr int kBuckets = 5;
inline constexpr std::array<const char*, kBuckets> kBucketNames = {"busy", "wait_data", "wait_space",
                                                                   "wait_dependency", "idle"};

using BucketTimes = std::array<Femtoseconds, kBuckets>;

class BucketClock {
 public:
  explicit BucketClock(int operators = 1) : times_(static_cast<std::size_t>(operators)) {}

  // Leaves the current bucket at `now` (not before the last call) and enters another, for the same operator
  // or for `op`. Starts idle at time 0 for operator 0.
  void enter(Bucket bucket, Femtoseconds now);
  void enter(Bucket bucket, Femtoseconds now, OperatorId op);
  // The times up to `end`, which may not lie before the last entry.
  BucketTimes finish(Femtoseconds end) const;
  std::vector<BucketTimes> by_operator(Femtoseconds end) const;
  Bucket current() const { return current_; }

 private:
  std::vector<BucketTimes> times_;  // [operator]
  Bucket current_ = Bucket::idle;
  OperatorId op_{0};
  Femtoseconds since_{0};
};

}  // namespace edgenpu::activity
