#include "timing/unit_cycles.h"

#include "base/rates.h"

namespace edgenpu::timing {

Cycles decode_cycles(std::int64_t weights, std::int64_t per_cycle) {
  return Cycles(ceil_div(weights, per_cycle));
}

Cycles vector_cycles(std::int64_t elements, std::int64_t operations, std::int64_t lanes, Cycles start) {
  return start + Cycles(ceil_div(elements, lanes)) * operations;
}

std::int64_t row_words(std::int64_t rows, std::int64_t width, std::int64_t lanes) {
  return checked_mul(rows, ceil_div(width, lanes));
}

Cycles pass_cycles(std::int64_t words, std::int64_t operations, std::int64_t trees, std::int64_t lanes,
                   Cycles start) {
  std::int64_t levels = 0;
  while (std::int64_t{1} << levels < lanes) ++levels;
  return start + Cycles(words) * operations + Cycles(trees) * levels;
}

}  // namespace edgenpu::timing
