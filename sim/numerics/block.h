// Every block format seen as integers: a block holds small integers q in groups that share an integer scale
// and min, and one or two float factors, so that
//
//     value = (d * scale[group]) * q - (dmin * min[group])
//
// in float32, in that order, gives the very floats of the reference dequantiser. Formats with one scale a
// block have scale 1; formats with a float offset m have min 1 and dmin -m; formats without an offset leave
// the subtraction out. The integer products of hardware work on the same struct.
//
// F32, F16 and BF16 have no integer form. Formats that never stand in a GGUF file are not decoded.
// Source: block layouts of ggml, checked bit by bit against its output (tests/data/ggml); MXFP4 against the
// Open Compute Project's Microscaling Formats v1.0, tables of E2M1 and E8M0.
#pragma once

#include <cstdint>

#include "vocabulary/weight_format.h"

namespace edgenpu::numerics {

using vocabulary::Format;

inline constexpr int kMostElements = 256;
inline constexpr int kMostGroups = 16;

struct Block {
  alignas(16) std::int8_t q[kMostElements];
  std::int16_t scale[kMostGroups];
  std::int16_t min[kMostGroups];
  float d, dmin;
};

struct BlockShape {
  int elements;  // of a block
  int bytes;     // of a block
  int group;     // elements that share a scale: 16 or 32
  bool has_min;
  void (*unpack)(const std::uint8_t* bytes, Block& block);
};

// False for F32, F16, BF16 and the formats that no GGUF file has.
bool has_integer_form(Format format);

// InternalError for a format without integer form.
const BlockShape& block_shape(Format format);

// The sixteen values of IQ4_NL and IQ4_XS.
extern const std::int8_t kNonLinear4[16];
// Twice the sixteen values of E2M1, in the order of its codes.
extern const std::int8_t kDoubledE2M1[16];

// Decodes `elements` values (whole blocks) to float32; every format of GGUF files.
void decode(Format format, const std::uint8_t* bytes, std::int64_t elements, float* out);

}  // namespace edgenpu::numerics
