// Where values lie in the layouts that share places: each taken over as soon as its value is no longer
// needed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/npu.h"
#include "lowering/layout.h"

namespace edgenpu::lowering {

class ValuePlaces {
 public:
  ValuePlaces(const workload::Trace& trace, const config::Npu& npu, const Consumers& consumers)
      : trace_(trace), npu_(npu), consumers_(consumers) {}

  // Marks what passes to a function that follows; the names of all other values, the smallest first.
  std::vector<std::string> names_by_size(Layout& l) const;

  // As many of `names` as fit `budget` together, taken in their order; which ones.
  struct Kept {
    std::set<std::string> names;
    Bytes used{0};
  };
  Kept keep(Layout& l, const std::vector<std::string>& names, Bytes budget) const;

  // The values not called `inside` go to DRAM, from `base` on. Throws InfeasibleError.
  void spill(Layout& l, const std::set<std::string>& inside, std::int64_t base) const;

 private:
  bool stays(const Layout& l, std::size_t i) const;
  int issued(const Layout& l, int op) const;
  int made(const Layout& l, int op) const;
  int last_read(const Layout& l, std::size_t op) const;
  std::optional<std::int64_t> place(Layout& l, const std::set<std::string>& names, std::int64_t size) const;
  [[noreturn]] void throw_spill(Bytes bytes) const;
  std::string name_of(std::size_t op) const { return name_within_layer(trace_.operators[op]); }

  const workload::Trace& trace_;
  const config::Npu& npu_;
  const Consumers& consumers_;
};

}  // namespace edgenpu::lowering
