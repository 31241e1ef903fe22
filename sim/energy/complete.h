// Whether a table prices everything that a platform has. What a table lacks costs nothing in a result, so each part
// has to be there or to be named in `left_out`, with the reason:
//
//   interface       bits read from and written to DRAM, on the die
//   device          the same in the DRAM itself
//   memory_standby  static power beyond the die
//   always_on       constant static power on the die
//   sram_leakage, logic_leakage, clock_tree   of tables that price a scratchpad
//   regulator       the converters' losses
//
// Parts beyond what the table covers are not asked for. A part that is there and left out is a contradiction.
// A whole component that shares its part with another (one of two blocks that are always on) cannot be missed.
#pragma once

#include "base/error.h"
#include "energy/table.h"

namespace edgenpu::energy {

void check_complete(const Table& table, Diagnostics& out);

}  // namespace edgenpu::energy
