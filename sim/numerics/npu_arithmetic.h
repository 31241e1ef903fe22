// Makes the arithmetic of an engine that NpuArithmetic (npu_options.h) describes. Errors: InputError for
// values out of range.
#pragma once

#include <memory>

#include "numerics/arithmetic.h"
#include "numerics/npu_options.h"

namespace edgenpu::numerics {

std::unique_ptr<Arithmetic> make_npu_arithmetic(const NpuArithmetic& engine);

}  // namespace edgenpu::numerics
