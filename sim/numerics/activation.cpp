#include "numerics/activation.h"

#include <cmath>

#include "base/error.h"
#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

// Where all values are so small that the inverse of the factor overflows, products are infinite or NaN; the
// bytes that ggml stores then are 0.
std::int8_t to_byte(float scaled, long (*round)(float)) {
  if (!std::isfinite(scaled)) return 0;
  const long value = round(scaled);
  return static_cast<std::int8_t>(value > 127 ? 127 : value < -128 ? -128 : value);
}

long ties_to_even(float value) {
  return std::lrint(value);
}  // of the default rounding mode
long ties_away(float value) {
  return std::lround(value);
}

void round_block_k(const float* x, std::size_t block, Activations& out) {
  std::int8_t* const q = out.q.data() + block * 256;
  float largest = 0, signed_largest = 0;
  for (int i = 0; i < 256; ++i) {
    const float magnitude = std::fabs(x[i]);
    if (magnitude > largest) largest = magnitude, signed_largest = x[i];
  }
  if (largest == 0) return;  // q, d and sums are zero already
  const float inverse = -127.0f / signed_largest;
  for (int i = 0; i < 256; ++i) q[i] = to_byte(inverse * x[i], ties_to_even);
  for (int g = 0; g < 16; ++g) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += q[g * 16 + i];
    out.sums[block * 16 + static_cast<std::size_t>(g)] = static_cast<std::int16_t>(sum);
  }
  out.d[block] = 1.0f / inverse;
}

void round_block_32(const float* x, std::size_t block, Activations& out) {
  std::int8_t* const q = out.q.data() + block * 32;
  float largest = 0;
  for (int i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(x[i]));
  const float d = largest / 127.0f;
  const float inverse = d != 0 ? 1.0f / d : 0.0f;
  int sum = 0;
  for (int i = 0; i < 32; ++i) {
    q[i] = to_byte(x[i] * inverse, ties_away);
    sum += q[i];
  }
  out.d[block] = round_to_half(d);
  if (out.rounding == Rounding8::Q8_1) out.s[block] = round_to_half(static_cast<float>(sum) * d);
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, const T* values, std::size_t count) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values);
  bytes.insert(bytes.end(), first, first + count * sizeof(T));
}

void append_half(std::vector<std::uint8_t>& bytes, float value) {
  const std::uint16_t half = float_to_half(value);
  append(bytes, &half, 1);
}

}  // namespace

Rounding8 rounding_for(Format weights) {
  const BlockShape& shape = block_shape(weights);
  if (shape.elements == 256) return Rounding8::Q8_K;
  if (shape.elements != 32)
    throw InternalError(std::string(vocabulary::info(weights).name) +
                        ": blocks of 32 or 256 have a rounding of activations");
  return shape.has_min ? Rounding8::Q8_1 : Rounding8::Q8_0;
}

Activations round_activations(Rounding8 rounding, const float* values, std::int64_t count) {
  Activations out;
  out.rounding = rounding;
  out.block = rounding == Rounding8::Q8_K ? 256 : 32;
  if (count % out.block != 0) throw InternalError("rounding a part of a block of activations");
  const auto blocks = static_cast<std::size_t>(count / out.block);
  out.q.resize(static_cast<std::size_t>(count));
  out.d.resize(blocks);
  if (rounding == Rounding8::Q8_K) out.sums.resize(blocks * 16);
  if (rounding == Rounding8::Q8_1) out.s.resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    if (rounding == Rounding8::Q8_K) {
      round_block_k(values + b * 256, b, out);
    } else {
      round_block_32(values + b * 32, b, out);
    }
  }
  return out;
}

std::vector<std::uint8_t> pack(const Activations& row) {
  std::vector<std::uint8_t> bytes;
  const auto block = static_cast<std::size_t>(row.block);
  for (std::size_t b = 0; b < row.d.size(); ++b) {
    if (row.rounding == Rounding8::Q8_K) {
      append(bytes, &row.d[b], 1);
    } else {
      append_half(bytes, row.d[b]);
    }
    if (row.rounding == Rounding8::Q8_1) append_half(bytes, row.s[b]);
    append(bytes, row.q.data() + b * block, block);
    if (row.rounding == Rounding8::Q8_K) append(bytes, row.sums.data() + b * 16, 16);
  }
  return bytes;
}

void dequantise(const Activations& row, float* out) {
  const auto block = static_cast<std::size_t>(row.block);
  for (std::size_t i = 0; i < row.q.size(); ++i) out[i] = row.d[i / block] * static_cast<float>(row.q[i]);
}

}  // namespace edgenpu::numerics
