// The section `components` of an energy table: what is paid for each action, fixed powers, areas.
#pragma once

#include "config/reader.h"
#include "energy/table.h"

namespace edgenpu::energy {

// Areas of blocks of one chip.
inline constexpr double kMostArea = 1e-2;

// Reads them into `table`, whose `covers` is known.
void read_components(config::MapReader& root, Table& table);

}  // namespace edgenpu::energy
