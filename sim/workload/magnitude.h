// Guards the 64-bit counts: an upper bound of every product and byte count that operator.h derives from a
// body, taken in doubles, which do not overflow.
#pragma once

#include "workload/operator.h"

namespace edgenpu::workload {

// A trace whose magnitudes sum to no more keeps all its totals below 2^62.
inline constexpr double kMaxMagnitude = 4.6e18;

double magnitude(const OperatorBody& body);

}  // namespace edgenpu::workload
