// The energy of a step by what it is for: memory, matrix, vector, cores, control, static.
//
// A component's class is in the table (`class`); DRAM, its interface, the scratchpad and the wires to it are
// memory. Clocks are control. The regulator's loss is shared out in proportion, since it is lost on all of
// them. A CPU's or GPU's price of a cycle holds fetch, decode, caches and arithmetic together: `cores`.
#pragma once

#include <array>

#include "energy/price.h"

namespace edgenpu::energy {

inline constexpr std::size_t kClasses = 6;
using Split = std::array<double, kClasses>;  // shares, in the order of Class; they sum to 1

Split split(const StepEnergy& energy, const Prices& prices);

}  // namespace edgenpu::energy
