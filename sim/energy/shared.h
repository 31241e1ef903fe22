// The energy tables of a system: what units share is priced once, by the table of one of them; what belongs to a unit, by
// its own. Shared are components that price DRAM actions or belong to more than the die, and the regulator, through
// which all are fed.
#pragma once

#include "energy/table.h"

namespace edgenpu::energy {

bool is_shared(const Component& component);
// Of a unit's table what is its own, behind the system's regulator.
Table own_part(Table unit, const Table& shared);
Table shared_part(Table table);

}  // namespace edgenpu::energy
