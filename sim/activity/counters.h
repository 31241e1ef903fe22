// Named, described, unit-typed 64-bit event counters, kept per operator.
//
// Hardware declares its counters when it is built and adds to them as things happen. A counter that is
// `billable` must have a price in the energy table, and a price must have a counter: energy/ checks both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "activity/operators.h"
#include "activity/timeline.h"

namespace edgenpu::activity {

enum class CounterId : std::int32_t {};

struct CounterInfo {
  std::string name;         // "dram_activate"
  std::string unit;         // "commands", "bytes", "MACs"
  std::string description;  // one sentence
  bool billable = false;
};

class Counters {
 public:
  // `timeline`: records when billable counters count; it outlives this object.
  explicit Counters(int operators, Timeline* timeline = nullptr);

  // Declaring a name again returns the same counter (several engines share one); the description must agree.
  CounterId declare(const CounterInfo& info);

  void add(OperatorId op, CounterId id, std::int64_t n) {
    std::int64_t& value =
        values_[static_cast<std::size_t>(static_cast<std::int32_t>(id))][static_cast<std::size_t>(index(op))];
    value = checked_add(value, n);
  }
  // The same, for something that takes from `start` to `end`. A billable counter that only ever add()s
  // appears in a recording spread over the whole run.
  void add_over(OperatorId op, CounterId id, std::int64_t n, Femtoseconds start, Femtoseconds end) {
    add(op, id, n);
    if (timeline_) when(id, n, start, end);
  }
  bool recording() const { return timeline_ != nullptr; }
  // Only when, for counts that are booked with add(). While recording.
  void when(CounterId id, std::int64_t n, Femtoseconds start, Femtoseconds end);
  // While recording: the timeline, whatever was counted without a time spread over the run.
  Windows windows(Femtoseconds end) const;

  const std::vector<CounterInfo>& infos() const { return infos_; }
  // [counter][operator]
  const std::vector<std::vector<std::int64_t>>& values() const { return values_; }

 private:
  int operators_;
  std::vector<CounterInfo> infos_;
  std::vector<std::vector<std::int64_t>> values_;
  Timeline* timeline_;
  std::vector<std::size_t> series_;  // of billable counters
};

}  // namespace edgenpu::activity
