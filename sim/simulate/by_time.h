// Counts that time alone decides, for a step of which a part was simulated: every channel and rank is
// refreshed for the whole of the step, whether it is used or not, and masters beside the step read at their
// rate. Stretches that stand for others would count them in proportion to a short time; these follow from the
// length of the step, and are shared among its operators by their times.
#pragma once

#include "activity/snapshot.h"
#include "config/memory.h"

namespace edgenpu::simulate_detail {

// `whole`: what follows from `simulated`, with its time.
void recount_by_time(activity::Snapshot& whole, const activity::Snapshot& simulated,
                     const config::Memory& memory);

}  // namespace edgenpu::simulate_detail
