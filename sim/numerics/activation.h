// Activations rounded to 8 bits before a product, bit for bit as ggml does it:
//
//   Q8_K  blocks of 256: d float32, the element of largest magnitude becomes -127, ties to even; sums of 16
//   Q8_0  blocks of 32:  d = max|x| / 127 kept as f16, ties away from zero
//   Q8_1  as Q8_0, with s = f16(d x sum of the integers), d before its rounding
//
// The integers and factors are kept apart, ready for integer products; pack() gives the bytes that ggml
// stores. A NaN or an infinity gives factors that are NaN or infinite, never a crash. Source: ggml's
// reference quantisers, checked bit by bit (tests/data/ggml).
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/block.h"

namespace edgenpu::numerics {

enum class Rounding8 { Q8_K, Q8_0, Q8_1 };

// The rounding that goes with a weight format of integer form. Q8_K for blocks of 256; otherwise Q8_1 for
// weights with an offset, else Q8_0.
Rounding8 rounding_for(Format weights);

struct Activations {
  Rounding8 rounding;
  int block = 0;  // elements a block: 256 or 32
  std::vector<std::int8_t> q;
  std::vector<float> d;            // one a block, as the product uses it
  std::vector<float> s;            // Q8_1: one a block
  std::vector<std::int16_t> sums;  // Q8_K: of each 16 elements
};

// `count` must be whole blocks (InternalError otherwise).
Activations round_activations(Rounding8 rounding, const float* values, std::int64_t count);

std::vector<std::uint8_t> pack(const Activations& row);

// The values that the integers stand for: d x q.
void dequantise(const Activations& row, float* out);

}  // namespace edgenpu::numerics
