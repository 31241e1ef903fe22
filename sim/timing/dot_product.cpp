#include "timing/dot_product.h"

#include <cmath>

#include "base/rates.h"

namespace edgenpu::timing {

std::int64_t dot_product_passes(const DotProductArray& array, std::int64_t m, std::int64_t n,
                                std::int64_t k) {
  return m * ceil_div(n, array.rows) * ceil_div(k, array.columns);
}

Cycles cycles_of_passes(const DotProductArray& array, std::int64_t passes) {
  return Cycles(static_cast<std::int64_t>(std::ceil(static_cast<double>(passes) / array.products_per_cycle)));
}

Cycles dot_product_cycles(const DotProductArray& array, std::int64_t m, std::int64_t n, std::int64_t k) {
  return cycles_of_passes(array, dot_product_passes(array, m, n, k));
}

Cycles decode_cycles(std::int64_t weights, std::int64_t per_cycle) {
  return Cycles(ceil_div(weights, per_cycle));
}

Cycles vector_cycles(std::int64_t elements, std::int64_t operations, std::int64_t lanes, Cycles start) {
  return start + Cycles(ceil_div(elements, lanes) * operations);
}

}  // namespace edgenpu::timing
