// What the toolkit of a chip converts models to: a maker's compiler refuses number formats that the chip has
// no units for, whatever its runtime could describe.
//
//   toolkit: {runtime: NAME, quants: [MIXTURE, ...], default: MIXTURE, source: TEXT}
//
// It holds while the description runs that runtime; another (runtime.part) has its own rules. `default` is
// what a shape is stored in where the user names nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/value.h"

namespace edgenpu::config {

struct Toolkit {
  std::string runtime, fallback;
  std::vector<Value> quants;
};

// nullopt: the tree has none, or runs another runtime. Faults go to `out`.
std::optional<Toolkit> read_toolkit(const Value& tree, Diagnostics& out);

}  // namespace edgenpu::config
