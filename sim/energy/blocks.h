// The blocks of a floorplan and the power in them.
//
// A block is a component of the energy table that has an area: {constant:, per_multiplier:, ...} x the sizes
// of the hardware. The power of a component without one flows in the blocks that its `on` names, shared by
// their areas (leakage of the logic over the logic's blocks); clocks flow in the blocks that they feed, in
// proportion to what these spend themselves. The regulator is a block if its area is given. What has no place
// is an InputError: power files would lose it.
#pragma once

#include <string>
#include <vector>

#include "energy/power_trace.h"
#include "energy/price.h"

namespace edgenpu::energy {

struct Area {
  double value = 0, low = 0, high = 0;  // m2
};

struct Block {
  std::string name;
  Scope scope = Scope::die;
  Area area;
};

// In the order of the table, the regulator last. Empty if the table has no areas.
std::vector<Block> blocks_of(const Table& table, const Sizes& sizes, Scope scope);

// Of the blocks on the die.
Area die_area(const std::vector<Block>& blocks);

// Power over time by block instead of by component. The joules of each window are kept.
PowerTrace by_block(const PowerTrace& components, const std::vector<Block>& blocks, const Table& table);

}  // namespace edgenpu::energy
