// What functions that follow products do with `columns` of some rows of their results.
#pragma once

#include "lowering/plan.h"

namespace edgenpu::lowering {

// `columns` of the activation's own width. Its results take the place of its inputs.
VectorWork activation_work(const Plan& plan, int op, std::int64_t rows, std::int64_t columns);

// `columns` of the `width` of the product: queries, keys or both. Pairs lie side by side; what a head has
// beyond those that are turned passes unchanged.
VectorWork turning_work(const Plan& plan, int op, std::int64_t rows, std::int64_t columns,
                        std::int64_t width);

}  // namespace edgenpu::lowering
