// Number formats of tensors as GGUF files store them: blocks of a fixed number of elements in a fixed number
// of bytes; and those of other runtimes, by their bytes. Source: block layouts of ggml (types.csv of the
// reference data; element and byte counts are the format's definition); MLC's q4f16_1; AWQ (Lin et al., MLSys
// 2024: INT4, groups of 128, zero points of 4 bits); SmoothQuant (Xiao et al., ICML 2023: a scale per output
// channel); MXFP4: the Open Compute Project's
// Microscaling Formats v1.0; NVFP4: NVIDIA's, whose single factor of a whole tensor is left out. The groups'
// f16 and the rows' f32 scales are how AutoAWQ and vLLM store them. Axera: onnxsim/onnxsim,
// docs/axera-llm-build-dtype-analysis.md (layouts decoded from compiled models): rows are cut into blocks of
// 544 columns, stored in chunks of 36 (so 576 are), with 16 B of scale and sum a row and block in int8 and 12
// B in 4 bits: 1.088 and 0.551 B a weight, spread evenly over the row here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace edgenpu::workload {

enum class Format {
  F32,
  F16,
  BF16,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  Q8_K,
  IQ4_NL,
  IQ4_XS,
  Q4F16_32,  // 4-bit weights, one f16 scale per 32 (MLC's q4f16_1): 18 B per 32
  W8,        // int8 weights, one f32 scale a row (w8a8 of SmoothQuant, RKLLM)
  W4_128,    // 4-bit weights, one f16 scale per 128 (w4a16, symmetric)
  W4_32,     // 4-bit weights, one f16 scale per 32 (w4, g32 of ExecuTorch)
  W4,        // 4-bit weights, one f32 scale a row (channel-wise w4a16 of NPU runtimes)
  Q4_0_4_4,  // Q4_0 with four rows interleaved for dot-product instructions: the same bytes
  AX_S8,     // int8 as Axera's compiler lays it out: chunks of 36 columns and tails, 34.8 B per 32 (below)
  AX_S4,     // the same with 4 bits: 17.6 B per 32
  MXFP4,     // 4-bit floats (E2M1), a power of two (E8M0) per 32: OCP Microscaling Formats v1.0, section 5
  NVFP4,     // 4-bit floats (E2M1), an 8-bit float (E4M3) per 16: 9 B per 16
  AWQ_128,   // as W4_128 with a 4-bit zero point per 128, packed over the row (AWQ, GPTQ with zeros)
  // Values from tables, chosen with an importance matrix; three values; block layouts of ggml.
  IQ1_S,
  IQ1_M,
  IQ2_XXS,
  IQ2_XS,
  IQ2_S,
  IQ3_XXS,
  IQ3_S,
  TQ1_0,
  TQ2_0,
};

// How an integer engine computes with a format: the operand that a decoded weight becomes, and how often a
// scale has to be applied. F32 weights are multiplied as fp16 operands: an engine has no fp32 multipliers.
struct Arithmetic {
  const char* operands;  // operand pair of the products: int4_int8, int8, fp16, bf16
  bool four_bit;         // weights fit int4 operands
  int scale_group;       // weights that share a scale; 0: the weights are operands as they are stored
};
// Of a format with one scale a row that is applied to the weights.
inline constexpr int kWholeRow = INT32_MAX;

// All that is known of a format: the other rooms read it here (what decodes its blocks: numerics/block.h).
struct FormatInfo {
  Format format;
  const char* name;  // "Q4_K"
  int ggml_type;     // id in a GGUF file; -1 if it has none
  int block_elements;
  int block_bytes;
  Arithmetic arithmetic;
  int row_bytes = 0;   // beside the blocks
  int block_bits = 0;  // of each block, packed over the row beside the blocks
};

const FormatInfo& info(Format format);
const std::vector<FormatInfo>& all_formats();
std::optional<Format> format_by_name(const std::string& name);
std::optional<Format> format_by_ggml_type(std::int64_t type);

// Bytes of one row of `elements`; elements must be a multiple of the block (InternalError otherwise).
Bytes row_bytes(Format format, std::int64_t elements);

}  // namespace edgenpu::workload
