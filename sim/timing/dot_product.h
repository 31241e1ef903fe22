// Cycles of a dot-product array (a GEMV engine): in each cycle, `rows` outputs take in `columns` elements of
// the reduction, through one adder tree per output. There is no weight load and no skew; the pipeline's
// latency comes on top once per command. Pure arithmetic.
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace edgenpu::timing {

struct DotProductArray {
  std::int64_t rows, columns;
  double products_per_cycle;  // per multiplier; 0.5 = a product takes two cycles
};

// m activation rows against n weight rows of length k. An array that is not filled by n or k wastes the rest
// of the cycle.
Cycles dot_product_cycles(const DotProductArray& array, std::int64_t m, std::int64_t n, std::int64_t k);

// Passes of the array for that: products_per_cycle of them take a cycle.
std::int64_t dot_product_passes(const DotProductArray& array, std::int64_t m, std::int64_t n, std::int64_t k);
Cycles cycles_of_passes(const DotProductArray& array, std::int64_t passes);

// Cycles to decode `weights` at `per_cycle`.
Cycles decode_cycles(std::int64_t weights, std::int64_t per_cycle);

// Cycles of a vector command: `operations` lane operations for each of `elements` on `lanes` lanes, after
// `start`.
Cycles vector_cycles(std::int64_t elements, std::int64_t operations, std::int64_t lanes, Cycles start);

}  // namespace edgenpu::timing
