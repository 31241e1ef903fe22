#include "workload/arithmetic.h"

#include "base/error.h"

namespace edgenpu::workload {

Arithmetic arithmetic(Format format) {
  switch (format) {
    case Format::F32:
    case Format::F16:
      return {"fp16", false, 0};
    case Format::BF16:
      return {"bf16", false, 0};
    case Format::Q2_K:
      return {"int4_int8", true, 16};
    case Format::Q3_K:
      return {"int4_int8", true, 16};
    case Format::Q4_0:
    case Format::Q4_1:
    case Format::Q4_K:
    case Format::Q4_0_4_4:
    case Format::Q4F16_32:
    case Format::W4_32:
      return {"int4_int8", true, 32};
    // Values of a table of int8, not of int4 (twice the 4-bit float of MXFP4).
    case Format::MXFP4:
    case Format::IQ4_NL:
    case Format::IQ4_XS:
      return {"int8", false, 32};
    case Format::Q5_0:
    case Format::Q5_1:
    case Format::Q5_K:
    case Format::Q8_0:
      return {"int8", false, 32};
    case Format::Q6_K:
      return {"int8", false, 16};
    case Format::Q8_K:
      return {"int8", false, 256};
    // 8-bit activations; the row's scale meets the sum on its way out.
    case Format::W8:
      return {"int8", false, 0};
    // 16-bit activations against whole bytes of weights, or against halves of them at twice the rate.
    case Format::AX_S8:
      return {"fp16", false, 0};
    case Format::AX_S4:
      return {"int8", false, 0};
    // 16-bit activations: weights are decoded to 16-bit floats.
    case Format::W4_128:
    case Format::W4:
    case Format::NVFP4:
    case Format::AWQ_128:
      return {"fp16", true, 128};
  }
  throw InternalError("a format without arithmetic");
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
