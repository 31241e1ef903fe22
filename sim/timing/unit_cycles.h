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

// Words of `lanes` elements in `rows` rows of `width`, each of which begins with a word of its own.
std::int64_t row_words(std::int64_t rows, std::int64_t width, std::int64_t lanes);

// Cycles of a vector command that works pass by pass through rows of `words` in all: `operations` for each
// word over all passes, and for each of `trees` reductions one cycle a level of a binary tree over the lanes.
Cycles pass_cycles(std::int64_t words, std::int64_t operations, std::int64_t trees, std::int64_t lanes,
                   Cycles start);

}  // namespace edgenpu::timing
