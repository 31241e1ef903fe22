// What a step asks of a hardware description as a whole, before it runs: that sections which other commands read are
// right too, and that description and energy table fit together.
#pragma once

#include <string>
#include <vector>

#include "energy/table.h"
#include "simulate/device.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::simulate_detail {

// Every finding at once: `memory.energy` and `arithmetic`; a table that is not complete (energy/complete.h); actions
// that this device counts and nobody prices, and prices of actions that it never counts. Throws InputError.
void check_description(const Device& device, const energy::Table& table, const config::Value& tree);

// Where a description is read, but its prices are of something else: another node, clock, memory or temperature.
std::vector<std::string> description_notes(const Device& device, const energy::Table& table,
                                           const config::Value& tree);

}  // namespace edgenpu::simulate_detail
