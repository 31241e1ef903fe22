// The sections `matrix` and `vector` of an NPU's description.
#pragma once

#include "config/npu.h"

namespace edgenpu::config {

MatrixEngines read_matrix(const Value& section, Diagnostics& out);
VectorEngine read_vector(const Value& section, Diagnostics& out);

}  // namespace edgenpu::config
