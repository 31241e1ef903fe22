// What a run of one step did, as plain data: the only thing that leaves the SystemC room. Times are integer
// femtoseconds. It crosses a process boundary (a step runs in a forked worker), hence the byte format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "activity/buckets.h"
#include "activity/counters.h"
#include "activity/ledger.h"
#include "activity/timeline.h"

namespace edgenpu::activity {

struct EngineTimes {
  std::string name;
  BucketTimes times{};
  std::vector<BucketTimes> by_operator{};  // [operator], or empty: not told apart
};

// One of several programs on a memory: how many operators it has, and when it ended.
struct ProgramEnd {
  int operators = 0;
  Femtoseconds time{0};
};

struct Snapshot {
  Femtoseconds time{0};
  std::vector<ProgramEnd>
      programs;  // in the order of their operators; empty: there is one, which takes `time`
  int channels = 1;
  std::vector<CounterInfo> counters;
  std::vector<std::vector<std::int64_t>> values;  // [counter][operator]
  std::vector<LossTimes> losses;                  // [operator], channel-femtoseconds
  std::vector<EngineTimes> engines;
  std::int64_t events = 0;  // kernel activations and callbacks of the simulation itself
  std::vector<std::string> notes;
  // What happened when, if it was recorded: billable counters by name, engines' buckets ("matrix.busy") in
  // femtoseconds.
  Windows windows;
  std::vector<std::string> dram_commands;  // [channel], if they were asked for

  // Sum over operators. InternalError for a counter that the run did not declare, as of a misspelt one;
  // OverflowError if 64 bits do not hold the sum.
  std::int64_t total(const std::string& counter) const;
  std::int64_t of(const std::string& counter, OperatorId op) const;
  // Of a counter that not every machine has; nothing if this one has not.
  std::optional<std::int64_t> total_if_declared(const std::string& counter) const;
  LossTimes total_losses() const;
};

std::string to_bytes(const Snapshot& snapshot);
// Throws InternalError on a truncated or foreign buffer.
Snapshot from_bytes(const std::string& bytes);

}  // namespace edgenpu::activity
