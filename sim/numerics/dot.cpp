#include "numerics/dot.h"

#include "base/error.h"
#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

// Eight lanes; GCC and Clang turn these into whatever vector instructions there are. Integers only, hence
// exact.
using Lanes16 = std::int16_t __attribute__((vector_size(16)));
using Lanes32 = std::int32_t __attribute__((vector_size(32)));
using Lanes8 = std::int8_t __attribute__((vector_size(8)));

inline Lanes16 load8(const std::int8_t* p) {
  Lanes8 bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(bytes, Lanes16);
}

// Lane l: sum of w[i] x a[i] over i = l modulo 8 of one group. 16 bits hold it: two products of full bytes
// are at most 32,512; four occur only in groups of 32 of K formats, where |w| <= 31 (IQ4 and Q8 take the wide
// way).
template <int kGroup>
inline Lanes16 lane_products(const std::int8_t* w, const std::int8_t* a) {
  Lanes16 sum = load8(w) * load8(a);
  for (int i = 8; i < kGroup; i += 8) sum += load8(w + i) * load8(a + i);
  return sum;
}

template <int kGroup>
inline std::int32_t group_product(const std::int8_t* w, const std::int8_t* a) {
  std::int32_t sum = 0;
  for (int i = 0; i < kGroup; ++i) sum += static_cast<std::int32_t>(w[i]) * a[i];
  return sum;
}

std::int32_t minimum_sum(const BlockShape& shape, const Block& b, const std::int16_t* sums) {
  std::int32_t total = 0;
  for (int j = 0; j < 16; ++j) total += sums[j] * b.min[j * 16 / shape.group];
  return total;
}

template <int kGroup>
float dot_lanes(const BlockShape& shape, const UnpackedRow& w, const Activations& row) {
  float lanes[8] = {};
  float total = 0;
  for (std::size_t n = 0; n < w.blocks.size(); ++n) {
    const Block& b = w.blocks[n];
    const std::int8_t* const a = row.q.data() + n * 256;
    Lanes32 sums{};
    for (std::ptrdiff_t g = 0; g < 256 / kGroup; ++g)
      sums += __builtin_convertvector(lane_products<kGroup>(b.q + g * kGroup, a + g * kGroup), Lanes32) *
              static_cast<std::int32_t>(b.scale[g]);
    const float d = b.d * row.d[n];
    for (int l = 0; l < 8; ++l) lanes[l] += d * static_cast<float>(sums[l]);
    if (shape.has_min)
      total -= (b.dmin * row.d[n]) * static_cast<float>(minimum_sum(shape, b, row.sums.data() + n * 16));
  }
  for (const float lane : lanes) total += lane;
  return total;
}

float dot_q2_k(const BlockShape& shape, const UnpackedRow& w, const Activations& row) {
  float total = 0;
  for (std::size_t n = 0; n < w.blocks.size(); ++n) {
    const Block& b = w.blocks[n];
    const BlockSums sums = block_sums(shape, b, row, n);
    total += (row.d[n] * b.d) * static_cast<float>(sums.scaled) -
             (row.d[n] * b.dmin) * static_cast<float>(sums.minimum);
  }
  return total;
}

float dot_iq4_xs(const UnpackedRow& w, const Activations& row) {
  float total = 0;
  for (std::size_t n = 0; n < w.blocks.size(); ++n) {
    const Block& b = w.blocks[n];
    const float d = b.d * row.d[n];
    for (std::ptrdiff_t g = 0; g < 8; ++g)
      total += (d * static_cast<float>(b.scale[g])) *
               static_cast<float>(group_product<32>(b.q + g * 32, row.q.data() + n * 256 + g * 32));
  }
  return total;
}

float dot_q8_k(const UnpackedRow& w, const Activations& row) {
  float total = 0;
  for (std::size_t n = 0; n < w.blocks.size(); ++n)
    total += (w.blocks[n].d * row.d[n]) *
             static_cast<float>(group_product<256>(w.blocks[n].q, row.q.data() + n * 256));
  return total;
}

float dot_small(const UnpackedRow& w, const Activations& row) {
  const bool has_min = row.rounding == Rounding8::Q8_1;
  float total = 0;
  for (std::size_t n = 0; n < w.blocks.size(); ++n) {
    const Block& b = w.blocks[n];
    const auto sum = static_cast<float>(group_product<32>(b.q, row.q.data() + n * 32));
    if (has_min) {
      total += (b.d * row.d[n]) * sum + (-b.dmin) * row.s[n];
    } else if (w.format == Format::Q4_0) {
      total += sum * b.d * row.d[n];
    } else {
      total += sum * (b.d * row.d[n]);
    }
  }
  return total;
}

}  // namespace

void unpack_row(Format format, const std::uint8_t* bytes, std::int64_t elements, UnpackedRow& row) {
  const BlockShape& shape = block_shape(format);
  if (elements % shape.elements != 0) throw InternalError("unpacking a part of a block");
  row.format = format;
  row.blocks.resize(static_cast<std::size_t>(elements / shape.elements));
  for (Block& block : row.blocks) {
    shape.unpack(bytes, block);
    bytes += shape.bytes;
  }
}

BlockSums block_sums(const BlockShape& shape, const Block& b, const Activations& row, std::size_t index) {
  const std::int8_t* const a = row.q.data() + index * static_cast<std::size_t>(shape.elements);
  BlockSums sums{0, 0};
  for (int g = 0; g < shape.elements / shape.group; ++g) {
    const int at = g * shape.group;
    sums.scaled += b.scale[g] * (shape.group == 16 ? group_product<16>(b.q + at, a + at)
                                                   : group_product<32>(b.q + at, a + at));
  }
  if (shape.has_min && row.rounding == Rounding8::Q8_K)
    sums.minimum = minimum_sum(shape, b, row.sums.data() + index * 16);
  return sums;
}

float dot_floats(const float* a, const float* b, std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += static_cast<double>(a[i] * b[i]);
  return static_cast<float>(total);
}

void dot_floats_of_four(const float* rows, const float* b, std::int64_t count, float out[4]) {
  double totals[4] = {};
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t r = 0; r < 4; ++r) totals[r] += static_cast<double>(rows[r * count + i] * b[i]);
  for (int r = 0; r < 4; ++r) out[r] = static_cast<float>(totals[r]);
}

float dot(const UnpackedRow& weights, const Activations& row) {
  if (row.rounding != rounding_for(weights.format))
    throw InternalError("activations rounded for another format");
  const BlockShape& shape = block_shape(weights.format);
  switch (weights.format) {
    case Format::Q4_K:
    case Format::Q5_K:
      return dot_lanes<32>(shape, weights, row);
    case Format::Q3_K:
    case Format::Q6_K:
      return dot_lanes<16>(shape, weights, row);
    case Format::Q2_K:
      return dot_q2_k(shape, weights, row);
    case Format::IQ4_XS:
      return dot_iq4_xs(weights, row);
    case Format::Q8_K:
      return dot_q8_k(weights, row);
    default:
      return dot_small(weights, row);
  }
}

}  // namespace edgenpu::numerics
