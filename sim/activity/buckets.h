// Where an engine's time went, and which operator the step was at meanwhile. At each instant an engine is in
// exactly one bucket and the step at one operator, so the buckets of an engine sum to the length of the run
// by construction, and those of one operator to the same time for every engine.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "activity/operators.h"
#include "activity/timeline.h"
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

  // Leaves the current bucket at `now` (not before the last call) and enters another. Starts idle at time 0.
  void enter(Bucket bucket, Femtoseconds now);
  // From `now` on the step is at this operator. Starts at operator 0.
  void at_operator(OperatorId op, Femtoseconds now);
  // The times up to `end`, which may not lie before the last entry.
  BucketTimes finish(Femtoseconds end) const;
  std::vector<BucketTimes> by_operator(Femtoseconds end) const;
  Bucket current() const { return current_; }
  // From now on also records the time in each bucket, as the series "<name>.<bucket>" in femtoseconds; clocks
  // of one name share them.
  void record(Timeline& timeline, const std::string& name);
  // Records up to `end`.
  void finish_recording(Femtoseconds end);

 private:
  std::vector<BucketTimes> times_;  // [operator]
  Bucket current_ = Bucket::idle;
  OperatorId op_{0};
  Femtoseconds since_{0};
  Timeline* timeline_ = nullptr;
  std::array<std::size_t, kBuckets> series_{};
};

}  // namespace edgenpu::activity
