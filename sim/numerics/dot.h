// Products of a row of quantised weights with a row of rounded activations: integers inside a group, float32
// between groups and blocks. The order in which the floats are added is that of ggml's scalar loops, so that
// results agree with it to the last bit:
//
//   blocks of 256 with Q8_K   eight sums, one for each element index modulo 8; the minimums taken off one
//                             after the other, then the eight sums added (Q2_K, IQ4_XS: one sum)
//   blocks of 32              one sum, block after block
//
// Weights are unpacked once and used for every token. Source: order found from ggml's scalar build, held by
// tests/data/ggml/dot.csv.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/activation.h"
#include "numerics/block.h"

namespace edgenpu::numerics {

// The blocks of one weight row as integers.
struct UnpackedRow {
  Format format;
  std::vector<Block> blocks;
};

// `row` keeps its storage from one call to the next.
void unpack_row(Format format, const std::uint8_t* bytes, std::int64_t elements, UnpackedRow& row);

float dot(const UnpackedRow& weights, const Activations& row);

// Float32 products added in double, one after the other: ggml's scalar loop for F32, F16 and BF16.
float dot_floats(const float* a, const float* b, std::int64_t count);
// Of four rows of `count` floats with one: the sums of a row wait for each other, those of four rows do not.
void dot_floats_of_four(const float* rows, const float* b, std::int64_t count, float out[4]);

// The exact integers of one block of 256: sum of scale x q x a, and sum of min x a. What an integer engine
// adds up.
struct BlockSums {
  std::int32_t scaled, minimum;
};
BlockSums block_sums(const BlockShape& shape, const Block& block, const Activations& row, std::size_t index);

}  // namespace edgenpu::numerics
