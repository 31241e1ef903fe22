// Extrapolated times, brought to the time of the run.
#pragma once

#include "activity/snapshot.h"

namespace edgenpu::activity {

// Engines change operators at other moments than the ledger, and what a short stretch stands for multiplies
// the difference: an engine's times do not sum to `time` after extrapolation. Its buckets keep their
// proportions (a sum of nothing is idle), so that each engine accounts for the whole time and none is
// negative; the rounding goes to the largest.
void settle(EngineTimes& engine, Femtoseconds time);

// The run's time becomes what its ledger adds up to; the rounding (less than a femtosecond a channel) goes to
// the tail. OverflowError if 64-bit femtoseconds do not hold it.
void settle_time(Snapshot& snapshot);

}  // namespace edgenpu::activity
