// lowering.operands of a hardware description, for the matrices of a GGUF file: the same patterns of operator
// names as in a simulated step ("attn_q" multiplies with blk.*.attn_q.weight).
#pragma once

#include <string>

#include "numerics/npu_options.h"
#include "workload/gguf.h"

namespace edgenpu::numerics {

// The choice for a tensor; nullptr: what `arithmetic` says.
const config::OperandChoice* choice_of(const NpuArithmetic& engine, const std::string& tensor);

// Throws InputError for a choice that names no matrix of the file, with the nearest name, or asks for
// operands that its weights cannot become.
void check_operands(const NpuArithmetic& engine, const workload::GgufFile& file);

}  // namespace edgenpu::numerics
