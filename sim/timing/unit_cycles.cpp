#include "timing/unit_cycles.h"

#include "base/rates.h"

namespace edgenpu::timing {

Cycles decode_cycles(std::int64_t weights, std::int64_t per_cycle) {
  return Cycles(ceil_div(weights, per_cycle));
}

Cycles vector_cycles(std::int64_t elements, std::int64_t operations, std::int64_t lanes, Cycles start) {
  return start + Cycles(ceil_div(elements, lanes) * operations);
}

}  // namespace edgenpu::timing
