// Cycles of the simpler units. Pure arithmetic.
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace edgenpu::timing {

// Cycles to decode `weights` at `per_cycle`.
Cycles decode_cycles(std::int64_t weights, std::int64_t per_cycle);

// Cycles of a vector command: `operations` lane operations for each of `elements` on `lanes` lanes, after
// `start`.
Cycles vector_cycles(std::int64_t elements, std::int64_t operations, std::int64_t lanes, Cycles start);

}  // namespace edgenpu::timing
