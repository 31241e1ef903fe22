// Runs the simulation until somebody stops it or nothing is left to happen. An exception that a process
// throws comes out as itself; SystemC alone would make a report of its text, and a step that is infeasible
// would look like a fault of ours. Once a process.
//
// Deadlock. Whoever calls this asks afterwards whether the work is done: if it is not, nothing was left that
// could ever do it. Time that passes is no sign of it: a unit may compute for minutes. What recurs for ever
// must stop by itself when it is alone (hardware/memory/background.h).
#pragma once

namespace edgenpu::hardware {

void run_events();

}  // namespace edgenpu::hardware
