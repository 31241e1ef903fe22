// Conversions between float32 and the two 16-bit formats, bit for bit as IEEE 754 defines them: widening is
// exact, narrowing rounds to nearest, ties to even. Subnormals and infinities are kept; a NaN stays a (quiet)
// NaN.
#pragma once

#include <cstdint>
#include <cstring>

namespace edgenpu::numerics {

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// A half's exponent and mantissa, moved to where float32 has them, read as a number 2^112 too small (the
// difference of the exponent biases); the product with 2^112 is exact and normalises subnormals on the way.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half & 0x7fffu) << 13;
  if ((half & 0x7c00u) == 0x7c00u) return float_of(sign | magnitude | 0x7f800000u);
  return float_of(sign | bits_of(float_of(magnitude) * 0x1p112f));
}

inline std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = bits_of(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u)
    return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and above: infinity
  if (magnitude < 0x38800000u) {
    // Below 2^-14: a multiple of 2^-24. Adding 0.5, whose last place is 2^-24, lets float32 do the rounding.
    const std::uint32_t rounded = bits_of(float_of(magnitude) + 0.5f);
    return static_cast<std::uint16_t>(sign | (rounded - bits_of(0.5f)));
  }
  const std::uint32_t rebiased = magnitude - (112u << 23);
  return static_cast<std::uint16_t>(sign | ((rebiased + 0xfffu + (rebiased >> 13 & 1u)) >> 13));
}

inline float bf16_to_float(std::uint16_t value) {
  return float_of(static_cast<std::uint32_t>(value) << 16);
}

inline std::uint16_t float_to_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

inline float round_to_bf16(float value) {
  return bf16_to_float(float_to_bf16(value));
}
inline float round_to_half(float value) {
  return half_to_float(float_to_half(value));
}

inline std::uint16_t load_u16(const std::uint8_t* bytes) {
  std::uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline float load_half(const std::uint8_t* bytes) {
  return half_to_float(load_u16(bytes));
}

}  // namespace edgenpu::numerics
