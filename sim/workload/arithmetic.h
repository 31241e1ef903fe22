// How an integer engine computes with a stored format: the operand that a decoded weight becomes, and how
// often a scale has to be applied. Source: block layouts of ggml.
#pragma once

#include <string>
#include <vector>

#include "workload/format.h"

namespace edgenpu::workload {

struct Arithmetic {
  const char* operands;  // operand pair of the products: int4_int8, int8, fp16, bf16
  bool four_bit;         // weights fit int4 operands
  int scale_group;       // weights that share a scale; 0: none
};

// F32 weights are multiplied as fp16 operands: an engine has no fp32 multipliers.
Arithmetic arithmetic(Format format);

// Operand pairs that weights of a format can be multiplied in: whole numbers as such, where they fit, and
// all as 16-bit floats.
std::vector<std::string> operand_pairs(Format weights);

}  // namespace edgenpu::workload
