// Names in a hardware description that its schema cannot judge, since formats and quantisations are the
// workload's: `matrix.decode`, the `formats` of a runtime's kernels, `runtime_for`, `toolkit`.
#pragma once

#include "config/value.h"

namespace edgenpu::simulate_detail {

// Throws InputError for all that do not exist, with those that do and the nearest.
void check_known_names(const config::Value& tree);

}  // namespace edgenpu::simulate_detail
