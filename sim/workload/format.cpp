#include "workload/format.h"

#include "base/error.h"

namespace edgenpu::workload {
namespace {

std::vector<FormatInfo> make_table() {
  return {
      {Format::F32, "F32", 0, 1, 4},
      {Format::F16, "F16", 1, 1, 2},
      {Format::BF16, "BF16", 30, 1, 2},
      {Format::Q4_0, "Q4_0", 2, 32, 18},
      {Format::Q4_1, "Q4_1", 3, 32, 20},
      {Format::Q5_0, "Q5_0", 6, 32, 22},
      {Format::Q5_1, "Q5_1", 7, 32, 24},
      {Format::Q8_0, "Q8_0", 8, 32, 34},
      {Format::Q2_K, "Q2_K", 10, 256, 84},
      {Format::Q3_K, "Q3_K", 11, 256, 110},
      {Format::Q4_K, "Q4_K", 12, 256, 144},
      {Format::Q5_K, "Q5_K", 13, 256, 176},
      {Format::Q6_K, "Q6_K", 14, 256, 210},
      {Format::Q8_K, "Q8_K", 15, 256, 292},
      {Format::IQ4_NL, "IQ4_NL", 20, 32, 18},
      {Format::IQ4_XS, "IQ4_XS", 23, 256, 136},
      {Format::Q4F16_32, "Q4F16_32", -1, 32, 18},
      {Format::W8, "W8", -1, 1, 1, 4},
      {Format::W4_128, "W4_128", -1, 128, 66},
      {Format::W4_32, "W4_32", -1, 32, 18},
      {Format::W4, "W4", -1, 2, 1, 4},
      {Format::Q4_0_4_4, "Q4_0_4_4", 31, 32, 18},
      {Format::AX_S8, "AX_S8", -1, 32, 34, 0, 7},
      {Format::AX_S4, "AX_S4", -1, 32, 17, 0, 5},
      {Format::MXFP4, "MXFP4", 39, 32, 17},
      {Format::NVFP4, "NVFP4", -1, 16, 9},
      {Format::AWQ_128, "AWQ_128", -1, 128, 66, 0, 4},
  };
}

}  // namespace

const std::vector<FormatInfo>& all_formats() {
  static const std::vector<FormatInfo> table = make_table();
  return table;
}

const FormatInfo& info(Format format) {
  for (const FormatInfo& row : all_formats())
    if (row.format == format) return row;
  throw InternalError("a tensor format that is not in the table");
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
