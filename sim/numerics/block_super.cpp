// Unpackers of the formats with 256 elements a block. Elements are written as 128 half + 32 row + l.
#include <algorithm>

#include "numerics/block_unpack.h"
#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

// Twelve bytes hold eight 6-bit scales and eight 6-bit mins: the first four of each in the low bits of bytes
// 0 to 7; the others in the nibbles of bytes 8 to 11 with their high bits atop bytes 0 to 7.
void unpack_scales_and_mins(const std::uint8_t* s, Block& b) {
  for (int j = 0; j < 4; ++j) {
    b.scale[j] = static_cast<std::int16_t>(s[j] & 63);
    b.min[j] = static_cast<std::int16_t>(s[j + 4] & 63);
    b.scale[j + 4] = static_cast<std::int16_t>((s[j + 8] & 15) | (s[j] >> 6 << 4));
    b.min[j + 4] = static_cast<std::int16_t>(s[j + 8] >> 4 | (s[j + 4] >> 6 << 4));
  }
}

void no_mins(Block& b) {
  std::memset(b.min, 0, sizeof b.min);
  b.dmin = 0;
}

void unpack_q2_k(const std::uint8_t* p, Block& b) {
  const std::uint8_t* const bits = p + 16;
  for (int g = 0; g < 16; ++g) {
    b.scale[g] = static_cast<std::int16_t>(p[g] & 15);
    b.min[g] = static_cast<std::int16_t>(p[g] >> 4);
  }
  b.d = load_half(p + 80);
  b.dmin = load_half(p + 82);
  for (int half = 0; half < 2; ++half)
    for (int row = 0; row < 4; ++row)
      for (int l = 0; l < 32; ++l)
        b.q[128 * half + 32 * row + l] = static_cast<std::int8_t>(bits[32 * half + l] >> (2 * row) & 3);
}

void unpack_q3_k(const std::uint8_t* p, Block& b) {
  const std::uint8_t* const bits = p + 32;
  const std::uint8_t* const s = p + 96;
  for (int g = 0; g < 16; ++g) {
    const int low = g < 8 ? s[g] & 15 : s[g - 8] >> 4;
    const int high = s[8 + g % 4] >> (2 * (g / 4)) & 3;
    b.scale[g] = static_cast<std::int16_t>((low | high << 4) - 32);
  }
  no_mins(b);
  b.d = load_half(p + 108);
  for (int half = 0; half < 2; ++half)
    for (int row = 0; row < 4; ++row)
      for (int l = 0; l < 32; ++l) {
        const int low = bits[32 * half + l] >> (2 * row) & 3;
        const int high = p[l] >> (4 * half + row) & 1;
        b.q[128 * half + 32 * row + l] = static_cast<std::int8_t>(low + 4 * high - 4);
      }
}

void unpack_q4_k(const std::uint8_t* p, Block& b) {
  b.d = load_half(p);
  b.dmin = load_half(p + 2);
  unpack_scales_and_mins(p + 4, b);
  for (int pair = 0; pair < 4; ++pair)
    for (int l = 0; l < 32; ++l) {
      const std::uint8_t byte = p[16 + 32 * pair + l];
      b.q[64 * pair + l] = static_cast<std::int8_t>(byte & 15);
      b.q[64 * pair + 32 + l] = static_cast<std::int8_t>(byte >> 4);
    }
}

void unpack_q5_k(const std::uint8_t* p, Block& b) {
  const std::uint8_t* const fifth = p + 16;
  b.d = load_half(p);
  b.dmin = load_half(p + 2);
  unpack_scales_and_mins(p + 4, b);
  for (int pair = 0; pair < 4; ++pair)
    for (int l = 0; l < 32; ++l) {
      const std::uint8_t byte = p[48 + 32 * pair + l];
      b.q[64 * pair + l] = static_cast<std::int8_t>((byte & 15) | (fifth[l] >> (2 * pair) & 1) << 4);
      b.q[64 * pair + 32 + l] = static_cast<std::int8_t>(byte >> 4 | (fifth[l] >> (2 * pair + 1) & 1) << 4);
    }
}

void unpack_q6_k(const std::uint8_t* p, Block& b) {
  std::int8_t scales[16];
  std::memcpy(scales, p + 192, sizeof scales);
  std::copy(scales, scales + 16, b.scale);
  no_mins(b);
  b.d = load_half(p + 208);
  for (std::ptrdiff_t half = 0; half < 2; ++half)
    for (std::ptrdiff_t row = 0; row < 4; ++row) {
      const std::uint8_t* const low = p + 64 * half + 32 * (row & 1);
      const std::uint8_t* const high = p + 128 + 32 * half;
      const int low_shift = row < 2 ? 0 : 4;
      for (int l = 0; l < 32; ++l) {
        const int value = (low[l] >> low_shift & 15) | (high[l] >> (2 * row) & 3) << 4;
        b.q[128 * half + 32 * row + l] = static_cast<std::int8_t>(value - 32);
      }
    }
}

void unpack_q8_k(const std::uint8_t* p, Block& b) {
  for (int g = 0; g < 8; ++g) b.scale[g] = 1;
  no_mins(b);
  std::memcpy(&b.d, p, 4);
  std::memcpy(b.q, p + 4, 256);
}

void unpack_iq4_xs(const std::uint8_t* p, Block& b) {
  const unsigned high = load_u16(p + 2);
  no_mins(b);
  b.d = load_half(p);
  for (int g = 0; g < 8; ++g) {
    const int low = p[4 + g / 2] >> (4 * (g % 2)) & 15;
    b.scale[g] = static_cast<std::int16_t>((low | static_cast<int>(high >> (2 * g) & 3) << 4) - 32);
    for (int i = 0; i < 16; ++i) {
      const std::uint8_t byte = p[8 + 16 * g + i];
      b.q[32 * g + i] = kNonLinear4[byte & 15];
      b.q[32 * g + 16 + i] = kNonLinear4[byte >> 4];
    }
  }
}

}  // namespace

const std::vector<Unpacker>& super_unpackers() {
  static const std::vector<Unpacker> unpackers = {
      {"Q2_K", unpack_q2_k}, {"Q3_K", unpack_q3_k}, {"Q4_K", unpack_q4_k},    {"Q5_K", unpack_q5_k},
      {"Q6_K", unpack_q6_k}, {"Q8_K", unpack_q8_k}, {"IQ4_XS", unpack_iq4_xs}};
  return unpackers;
}

}  // namespace edgenpu::numerics
