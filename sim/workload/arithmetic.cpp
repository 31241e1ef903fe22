#include "workload/arithmetic.h"

namespace edgenpu::workload {

Arithmetic arithmetic(Format format) {
  return info(format).arithmetic;
}

std::vector<std::string> operand_pairs(Format weights) {
  const Arithmetic a = arithmetic(weights);
  std::vector<std::string> pairs;
  if (a.four_bit) pairs.push_back("int4_int8");
  if (a.scale_group > 0 || std::string(a.operands) == "int8") pairs.push_back("int8");
  pairs.insert(pairs.end(), {"fp16", "bf16"});
  return pairs;
}

}  // namespace edgenpu::workload
