#include "workload/format.h"

#include "base/error.h"

namespace edgenpu::workload {
namespace {

// In the order of Format.
std::vector<FormatInfo> make_table() {
  return {
      {Format::F32, "F32", 0, 1, 4, {"fp16", false, 0}},
      {Format::F16, "F16", 1, 1, 2, {"fp16", false, 0}},
      {Format::BF16, "BF16", 30, 1, 2, {"bf16", false, 0}},
      {Format::Q4_0, "Q4_0", 2, 32, 18, {"int4_int8", true, 32}},
      {Format::Q4_1, "Q4_1", 3, 32, 20, {"int4_int8", true, 32}},
      {Format::Q5_0, "Q5_0", 6, 32, 22, {"int8", false, 32}},
      {Format::Q5_1, "Q5_1", 7, 32, 24, {"int8", false, 32}},
      {Format::Q8_0, "Q8_0", 8, 32, 34, {"int8", false, 32}},
      {Format::Q2_K, "Q2_K", 10, 256, 84, {"int4_int8", true, 16}},
      {Format::Q3_K, "Q3_K", 11, 256, 110, {"int4_int8", true, 16}},
      {Format::Q4_K, "Q4_K", 12, 256, 144, {"int4_int8", true, 32}},
      {Format::Q5_K, "Q5_K", 13, 256, 176, {"int8", false, 32}},
      {Format::Q6_K, "Q6_K", 14, 256, 210, {"int8", false, 16}},
      {Format::Q8_K, "Q8_K", 15, 256, 292, {"int8", false, 256}},
      // Values of a table of int8, not of int4; so are those of MXFP4 and NVFP4 (twice the 4-bit float).
      {Format::IQ4_NL, "IQ4_NL", 20, 32, 18, {"int8", false, 32}},
      {Format::IQ4_XS, "IQ4_XS", 23, 256, 136, {"int8", false, 32}},
      {Format::Q4F16_32, "Q4F16_32", -1, 32, 18, {"int4_int8", true, 32}},
      // 8-bit activations; the row's scale meets the sum on its way out.
      {Format::W8, "W8", -1, 1, 1, {"int8", false, 0}, 4},
      // 16-bit activations: weights are decoded to 16-bit floats; so for W4, NVFP4 and AWQ_128.
      {Format::W4_128, "W4_128", -1, 128, 66, {"fp16", true, 128}},
      {Format::W4_32, "W4_32", -1, 32, 18, {"int4_int8", true, 32}},
      {Format::W4, "W4", -1, 2, 1, {"fp16", true, kWholeRow}, 4},
      {Format::Q4_0_4_4, "Q4_0_4_4", 31, 32, 18, {"int4_int8", true, 32}},
      // 16-bit activations against whole bytes of weights, or against halves of them at twice the rate.
      {Format::AX_S8, "AX_S8", -1, 32, 34, {"fp16", false, 0}, 0, 7},
      {Format::AX_S4, "AX_S4", -1, 32, 17, {"int8", false, 0}, 0, 5},
      {Format::MXFP4, "MXFP4", 39, 32, 17, {"int8", false, 32}},
      {Format::NVFP4, "NVFP4", 40, 16, 9, {"fp16", false, 16}},
      {Format::AWQ_128, "AWQ_128", -1, 128, 66, {"fp16", true, 128}, 0, 4},
      // Values of tables of int8.
      {Format::IQ1_S, "IQ1_S", 19, 256, 50, {"int8", false, 32}},
      {Format::IQ1_M, "IQ1_M", 29, 256, 56, {"int8", false, 32}},
      {Format::IQ2_XXS, "IQ2_XXS", 16, 256, 66, {"int8", false, 32}},
      {Format::IQ2_XS, "IQ2_XS", 17, 256, 74, {"int8", false, 32}},
      {Format::IQ2_S, "IQ2_S", 22, 256, 82, {"int8", false, 32}},
      {Format::IQ3_XXS, "IQ3_XXS", 18, 256, 98, {"int8", false, 32}},
      {Format::IQ3_S, "IQ3_S", 21, 256, 110, {"int8", false, 32}},
      {Format::TQ1_0, "TQ1_0", 34, 256, 54, {"int4_int8", true, 256}},
      {Format::TQ2_0, "TQ2_0", 35, 256, 66, {"int4_int8", true, 256}},
  };
}

}  // namespace

const std::vector<FormatInfo>& all_formats() {
  static const std::vector<FormatInfo> table = make_table();
  return table;
}

const FormatInfo& info(Format format) {
  const auto index = static_cast<std::size_t>(format);
  if (index < all_formats().size() && all_formats()[index].format == format) return all_formats()[index];
  throw InternalError("a tensor format that is not in its place of the table");
}

std::optional<Format> format_by_name(const std::string& name) {
  for (const FormatInfo& row : all_formats())
    if (name == row.name) return row.format;
  return std::nullopt;
}

std::optional<Format> format_by_ggml_type(std::int64_t type) {
  for (const FormatInfo& row : all_formats())
    if (row.ggml_type >= 0 && row.ggml_type == type) return row.format;
  return std::nullopt;
}

Bytes row_bytes(Format format, std::int64_t elements) {
  const FormatInfo& f = info(format);
  if (elements < 0 || elements % f.block_elements != 0)
    throw InternalError("a row of " + std::to_string(elements) + " elements is not whole blocks of " +
                        std::string(f.name));
  const std::int64_t blocks = elements / f.block_elements;
  return Bytes(blocks * f.block_bytes + f.row_bytes + (blocks * f.block_bits + 7) / 8);
}

}  // namespace edgenpu::workload
