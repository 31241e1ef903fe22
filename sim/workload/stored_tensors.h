// The tensors of a GGUF file as a step reads them: each with its layer, type and shape; experts that lie in a
// tensor each (older Mixtral files) as one tensor of so many matrices.
//
// Errors: InputError for experts of a layer that differ in shape or type.
#pragma once

#include <vector>

#include "workload/gguf.h"
#include "workload/mixture.h"

namespace edgenpu::workload {

std::vector<StoredTensor> stored_tensors(const GgufFile& file);

}  // namespace edgenpu::workload
