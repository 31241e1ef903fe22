// Named, described, unit-typed 64-bit event counters, kept per operator.
//
// Hardware declares its counters when it is built and adds to them as things happen. A counter that is
// `billable` must have a price in the energy table, and a price must have a counter: energy/ checks both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "activity/operators.h"

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
  explicit Counters(int operators);

  // Declaring a name again returns the same counter (several engines share one); the description must agree.
  CounterId declare(const CounterInfo& info);

  void add(OperatorId op, CounterId id, std::int64_t n) {
    values_[static_cast<std::size_t>(static_cast<std::int32_t>(id))][static_cast<std::size_t>(index(op))] +=
        n;
  }

  const std::vector<CounterInfo>& infos() const { return infos_; }
  // [counter][operator]
  const std::vector<std::vector<std::int64_t>>& values() const { return values_; }

 private:
  int operators_;
  std::vector<CounterInfo> infos_;
  std::vector<std::vector<std::int64_t>> values_;
};

}  // namespace edgenpu::activity
