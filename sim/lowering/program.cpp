#include "lowering/program.h"

namespace edgenpu::lowering {

std::int64_t products(const Program& program, const MatrixWork& work) {
  if (work.band < 0) return work.m * work.n * work.k;
  const Band& band = program.bands[static_cast<std::size_t>(work.band)];
  return band.rows * band.visible() * (band.keys_are_outputs ? work.k : work.n);
}

}  // namespace edgenpu::lowering
