// The parts of an energy table that say under which conditions its prices hold and what states there are:
// conditions, operating_point, operating_points, gated. Part of read_table().
#pragma once

#include "config/reader.h"
#include "energy/table.h"

namespace edgenpu::energy {

void read_conditions(config::MapReader& root, Table& table);
// `on` and `gated` may name only components that are there.
void check_names(const Table& table, Diagnostics& out);

}  // namespace edgenpu::energy
