// Quantisers of our own design into ggml's block formats. Q8_0 and Q4_0 give the bytes of ggml (largest
// magnitude decides; Q4_0 is the format of a 4-bit KV cache); F16 and BF16 round to nearest even.
//
// Q4_K and Q6_K minimise the plain squared error of a block: each group is fitted by least squares from
// several starts, then the block's 16-bit factors and the groups' small scales are chosen together, with the
// error of the decoded floats as the judge. ggml weighs elements by magnitude instead, so bytes differ;
// errors are compared in tests.
//
// Left out: importance matrices, other formats (InternalError). Values are taken as finite.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/block.h"

namespace edgenpu::numerics {

bool can_quantise(Format format);

// `count` must be whole blocks (InternalError otherwise).
std::vector<std::uint8_t> quantise(Format format, const float* values, std::int64_t count);
// The same into `out`, which has room for vocabulary::row_bytes(format, count).
void quantise(Format format, const float* values, std::int64_t count, std::uint8_t* out);

// Of one block of 256: internal to the room.
void quantise_block_q4_k(const float* values, std::uint8_t* out);
void quantise_block_q6_k(const float* values, std::uint8_t* out);

struct QuantisationError {
  double relative_rms = 0;  // rms of the error over rms of the values; 0 if both are 0
  double largest = 0;       // absolute
};
QuantisationError compare(const float* values, const float* decoded, std::int64_t count);

}  // namespace edgenpu::numerics
