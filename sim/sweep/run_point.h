// One point, from its configuration to its row, in a process that exists for it.
#pragma once

#include "sweep/expand.h"
#include "sweep/row.h"

namespace edgenpu::sweep {

// For tests of what surrounds points: called with each point's number, in its process, before it is simulated.
extern void (*before_point)(std::int64_t number);

// Never throws for what lies in the point: an error becomes a row.
Row run_point(const Expansion& expansion, const Point& point);

// The row of a point whose process was lost.
Row lost_row(const Point& point, const std::string& why);

}  // namespace edgenpu::sweep
