// The names that steps give their operators, without "blk.N." (workload/step_builder.cpp makes them; a test
// there holds this list against what it makes). Descriptions name operators by them: a runtime's `fuse` and
// `launches`.
//
// A matrix may be two factors of low rank: its name with ".factor_a" or ".factor_b" is then known too.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace edgenpu::vocabulary {

const std::vector<std::string>& operator_names();

// Adds to `out` that `name` is no operator, with all that there are and the nearest.
void check_operator_name(const std::string& name, const Position& where, Diagnostics& out);

}  // namespace edgenpu::vocabulary
