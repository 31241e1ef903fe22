// The timing part of a memory description: the table, refresh times by the density of its dies, and whether
// they can all hold at once.
#pragma once

#include "config/memory.h"
#include "config/reader.h"

namespace edgenpu::config {

void read_timings(const Value& section, Memory& m, Diagnostics& out);

// Refresh times by die density; the smallest die that holds `bits`.
void read_density(const Value& section, Memory& m, std::int64_t bits, const Position& capacity,
                  Diagnostics& out);

// Above 85 C the cells leak faster and the interval is halved.
void apply_temperature(MapReader& map, Memory& m);

// Adds to `out` what is not of the standard that the description names (memory_standard.cpp).
void check_standard(const Memory& m, const Value& section, Diagnostics& out);

// Adds to `out` what contradicts itself. `section` is the memory's.
void check_timings(const Memory& m, const Value& section, Diagnostics& out);

// The same for refresh (memory_refresh.cpp): between two refreshes a rank must be able to serve a request.
void check_refresh(const Memory& m, const Value& section, Diagnostics& out);

}  // namespace edgenpu::config
