// The sections `matrix` and `vector` of an NPU's description.
#pragma once

#include "config/npu.h"
#include "config/reader.h"

namespace edgenpu::config {

MatrixEngines read_matrix(const Value& section, Diagnostics& out);
VectorEngine read_vector(const Value& section, Diagnostics& out);

// Whole bytes a cycle: a fraction is an error, not cut off.
Bytes read_width(MapReader& r, const std::string& key);

}  // namespace edgenpu::config
