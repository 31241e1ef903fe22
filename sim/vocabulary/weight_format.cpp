// Sources: block layouts of ggml (types.csv of the reference data; element and byte counts are the format's
// definition); MLC's q4f16_1; AWQ (Lin et al., MLSys 2024: INT4, groups of 128, zero points of 4 bits);
// SmoothQuant (Xiao et al., ICML 2023: a scale per output channel); MXFP4: the Open Compute Project's
// Microscaling Formats v1.0; NVFP4: NVIDIA's, whose single factor of a whole tensor is left out. The groups'
// f16 and the rows' f32 scales are how AutoAWQ and vLLM store them. Axera: onnxsim/onnxsim,
// docs/axera-llm-build-dtype-analysis.md (layouts decoded from compiled models).
#include "vocabulary/weight_format.h"

#include "base/error.h"

namespace edgenpu::vocabulary {
namespace {

constexpr Operands kInt4 = Operands::int4_int8, kInt8 = Operands::int8, kFp16 = Operands::fp16,
                   kBf16 = Operands::bf16;
constexpr bool kMin = true, kNoMin = false;

// In the order of Format; then those without a name in code.
std::vector<FormatInfo> make_table() {
  return {
      {"F32", 0, 1, 4, {kFp16, 0, 0}},
      {"F16", 1, 1, 2, {kFp16, 0, 0}},
      {"BF16", 30, 1, 2, {kBf16, 0, 0}},
      {"Q4_0", 2, 32, 18, {kInt4, 4, 32}},
      {"Q4_1", 3, 32, 20, {kInt4, 4, 32}, kMin},
      {"Q5_0", 6, 32, 22, {kInt8, 5, 32}},
      {"Q5_1", 7, 32, 24, {kInt8, 5, 32}, kMin},
      {"Q8_0", 8, 32, 34, {kInt8, 8, 32}},
      {"Q2_K", 10, 256, 84, {kInt4, 2, 16}, kMin},
      {"Q3_K", 11, 256, 110, {kInt4, 3, 16}},
      {"Q4_K", 12, 256, 144, {kInt4, 4, 32}, kMin},
      {"Q5_K", 13, 256, 176, {kInt8, 5, 32}, kMin},
      {"Q6_K", 14, 256, 210, {kInt8, 6, 16}},
      {"Q8_K", 15, 256, 292, {kInt8, 8, 256}},
      // Values of a table of int8, not of int4; so are those of MXFP4 and NVFP4 (twice the 4-bit float).
      {"IQ4_NL", 20, 32, 18, {kInt8, 8, 32}},
      {"IQ4_XS", 23, 256, 136, {kInt8, 8, 32}},
      // 4-bit floats (E2M1), a power of two (E8M0) per 32: OCP Microscaling Formats v1.0, section 5.
      {"MXFP4", 39, 32, 17, {kInt8, 8, 32}},
      // 4-bit weights, one f16 scale per 32 (MLC's q4f16_1).
      {"Q4F16_32", -1, 32, 18, {kInt4, 4, 32}},
      // int8 weights, one f32 scale a row (w8a8 of SmoothQuant, RKLLM). 8-bit activations; the row's scale
      // meets the sum on its way out.
      {"W8", -1, 1, 1, {kInt8, 8, 0}, kNoMin, 4},
      // 4-bit weights, one f16 scale per 128 (w4a16, symmetric). 16-bit activations: weights are decoded to
      // 16-bit floats; so for W4, NVFP4 and AWQ_128.
      {"W4_128", -1, 128, 66, {kFp16, 4, 128}},
      // 4-bit weights, one f16 scale per 32 (w4, g32 of ExecuTorch).
      {"W4_32", -1, 32, 18, {kInt4, 4, 32}},
      // 4-bit weights, one f32 scale a row (channel-wise w4a16 of NPU runtimes).
      {"W4", -1, 2, 1, {kFp16, 4, kWholeRow}, kNoMin, 4},
      // Q4_0 with four rows interleaved for dot-product instructions: the same bytes.
      {"Q4_0_4_4", 31, 32, 18, {kInt4, 4, 32}},
      // As Axera's compiler lays it out: a row is cut into blocks of 544 columns, stored in 16 chunks of 36 (so
      // 576 are), with 16 B of scale and sum a row and block in 8 bits and 12 B in 4 bits: 592 and 300 B, 1.088
      // and 0.551 B a weight, spread evenly over the row here: 34 7/8 and 17 5/8 B per 32. 16-bit activations
      // meet whole bytes of weights, or halves of them at twice the rate.
      {"AX_S8", -1, 32, 34, {kFp16, 8, 0}, kNoMin, 0, 7},
      {"AX_S4", -1, 32, 17, {kInt8, 8, 0}, kNoMin, 0, 5},
      // 4-bit floats (E2M1), an 8-bit float (E4M3) per 16.
      {"NVFP4", 40, 16, 9, {kFp16, 8, 16}},
      // As W4_128 with a 4-bit zero point per 128, packed over the row (AWQ, GPTQ with zeros).
      {"AWQ_128", -1, 128, 66, {kFp16, 4, 128}, kMin, 0, 4},
      // Values of tables of int8, chosen with an importance matrix.
      {"IQ1_S", 19, 256, 50, {kInt8, 8, 32}},
      {"IQ1_M", 29, 256, 56, {kInt8, 8, 32}},
      {"IQ2_XXS", 16, 256, 66, {kInt8, 8, 32}},
      {"IQ2_XS", 17, 256, 74, {kInt8, 8, 32}},
      {"IQ2_S", 22, 256, 82, {kInt8, 8, 32}},
      {"IQ3_XXS", 18, 256, 98, {kInt8, 8, 32}},
      {"IQ3_S", 21, 256, 110, {kInt8, 8, 32}},
      // Three values.
      {"TQ1_0", 34, 256, 54, {kInt4, 2, 256}},
      {"TQ2_0", 35, 256, 66, {kInt4, 2, 256}},
  };
}

}  // namespace

const std::vector<FormatInfo>& all_formats() {
  static const std::vector<FormatInfo> table = make_table();
  return table;
}

const FormatInfo& info(Format format) {
  return all_formats().at(static_cast<std::size_t>(format));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatInfo& f : all_formats()) names.emplace_back(f.name);
  return names;
}

std::optional<Format> format_by_name(const std::string& name) {
  for (std::size_t i = 0; i < all_formats().size(); ++i)
    if (name == all_formats()[i].name) return static_cast<Format>(i);
  return std::nullopt;
}

Format format_named(const std::string& name) {
  if (const std::optional<Format> format = format_by_name(name)) return *format;
  throw InternalError("no format is called '" + name + "'");
}

std::optional<Format> format_by_ggml_type(std::int64_t type) {
  for (std::size_t i = 0; i < all_formats().size(); ++i)
    if (type >= 0 && all_formats()[i].ggml_type == type) return static_cast<Format>(i);
  return std::nullopt;
}

std::vector<Operands> operand_pairs(Format weights) {
  const Arithmetic& a = info(weights).arithmetic;
  std::vector<Operands> pairs;
  if (a.four_bit()) pairs.push_back(Operands::int4_int8);
  if (a.scale_group > 0 || a.operands == Operands::int8) pairs.push_back(Operands::int8);
  pairs.insert(pairs.end(), {Operands::fp16, Operands::bf16});
  return pairs;
}

Bytes row_bytes(Format format, std::int64_t elements) {
  const FormatInfo& f = info(format);
  if (elements < 0 || elements % f.block_elements != 0)
    throw InternalError("a row of " + std::to_string(elements) + " elements is not whole blocks of " +
                        std::string(f.name));
  const std::int64_t blocks = elements / f.block_elements;
  return Bytes(blocks * f.block_bytes + f.row_bytes + (blocks * f.block_bits + 7) / 8);
}

}  // namespace edgenpu::vocabulary
