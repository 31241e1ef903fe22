// How an integer engine computes with a stored format, as its row says (format.h), and what else it could do.
#pragma once

#include <string>
#include <vector>

#include "workload/format.h"

namespace edgenpu::workload {

Arithmetic arithmetic(Format format);

// Operand pairs that weights of a format can be multiplied in: whole numbers as such, where they fit, and
// all as 16-bit floats.
std::vector<std::string> operand_pairs(Format weights);

}  // namespace edgenpu::workload
