// A step's energy in the scope in which somebody measured: "die", "soc+dram", "module", "wall", or "rail
// NAME", the components that an energy table puts on a supply rail.
#pragma once

#include <string>

#include "simulate/power.h"

namespace edgenpu::evidence {

// Joules of the whole step. Throws InputError: a scope wider than the table covers, a rail that it does not
// name.
double joules_in(const StepCounts& counts, const energy::Table& table, const std::string& scope);

}  // namespace edgenpu::evidence
