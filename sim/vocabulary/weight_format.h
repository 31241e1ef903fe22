// Number formats of tensors as GGUF files store them: blocks of a fixed number of elements in a fixed number
// of bytes; and those of other runtimes, by their bytes. One row of a table says all that is known of a format
// (weight_format.cpp, with the sources); the other rooms read it here. What decodes a format's blocks stands
// in numerics/block.h, and which tensors get which format in mixtures.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "vocabulary/operands.h"

namespace edgenpu::vocabulary {

// A row of the table. Those that code treats by name have one here, in the order of the table; the others
// (of single vendors, or that nothing here decodes) are found by the table's name: format_named().
enum class Format : unsigned char {
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
  MXFP4,
};

// How an integer engine computes with a format: the operand that a decoded weight becomes, and how often a
// scale has to be applied. F32 weights are multiplied as fp16 operands: an engine has no fp32 multipliers.
struct Arithmetic {
  Operands operands;  // operand pair of the products
  int bits;           // of the whole number that a weight is decoded to; 0: a float
  int scale_group;    // weights that share a scale; 0: the weights are operands as they are stored

  bool four_bit() const { return bits > 0 && bits <= 4; }  // weights fit int4 operands
};
// Of a format with one scale a row that is applied to the weights.
inline constexpr int kWholeRow = INT32_MAX;

struct FormatInfo {
  const char* name;  // "Q4_K"
  int ggml_type;     // id in a GGUF file; -1 if it has none
  int block_elements;
  int block_bytes;
  Arithmetic arithmetic;
  bool has_min = false;  // beside its scale, a group (or block) has an offset
  int row_bytes = 0;     // beside the blocks
  int block_bits = 0;    // of each block, packed over the row beside the blocks
};

const FormatInfo& info(Format format);
// All rows: Format f is number static_cast<size_t>(f).
const std::vector<FormatInfo>& all_formats();
std::vector<std::string> format_names();
std::optional<Format> format_by_name(const std::string& name);
// Of a name in code: InternalError if there is none.
Format format_named(const std::string& name);
std::optional<Format> format_by_ggml_type(std::int64_t type);

// Operand pairs that weights of a format can be multiplied in: whole numbers as such, where they fit, and
// all as 16-bit floats.
std::vector<Operands> operand_pairs(Format weights);

// Bytes of one row of `elements`; elements must be a multiple of the block (InternalError otherwise).
Bytes row_bytes(Format format, std::int64_t elements);

}  // namespace edgenpu::vocabulary
