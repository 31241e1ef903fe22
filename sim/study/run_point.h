// One point, from its configuration to its row, in a process that exists for it.
#pragma once

#include "study/expand.h"
#include "study/row.h"

namespace edgenpu::study {

// Never throws for what lies in the point: an error becomes a row.
// EDGENPU_TEST_FAULTS="3:crash,5:hang,7:memory" makes points fail in these ways (for tests of what surrounds
// them).
Row run_point(const Expansion& expansion, const Point& point);

// The row of a point whose process was lost.
Row lost_row(const Point& point, const std::string& why);

}  // namespace edgenpu::study
