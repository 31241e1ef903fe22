// Unpackers of the formats with 32 elements a block.
#include <cmath>

#include "numerics/block_unpack.h"
#include "numerics/half.h"

namespace edgenpu::numerics {

const std::int8_t kNonLinear4[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                     1,    13,   25,  38,  53,  69,  89,  113};

const std::int8_t kDoubledE2M1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

namespace {

// Low nibbles are elements 0 to 15, high nibbles 16 to 31.
void nibbles(const std::uint8_t* bytes, int offset, std::int8_t* q) {
  for (int i = 0; i < 16; ++i) {
    q[i] = static_cast<std::int8_t>((bytes[i] & 15) + offset);
    q[i + 16] = static_cast<std::int8_t>((bytes[i] >> 4) + offset);
  }
}

void add_fifth_bits(const std::uint8_t* bytes, std::int8_t* q) {
  for (int e = 0; e < 32; ++e) q[e] = static_cast<std::int8_t>(q[e] + (bytes[e / 8] >> (e % 8) & 1) * 16);
}

void one_scale(float d, Block& b) {
  b.scale[0] = 1;
  b.min[0] = 0;
  b.d = d;
  b.dmin = 0;
}

void scale_and_offset(float d, float m, Block& b) {
  one_scale(d, b);
  b.min[0] = 1;
  b.dmin = -m;
}

void unpack_q4_0(const std::uint8_t* p, Block& b) {
  one_scale(load_half(p), b);
  nibbles(p + 2, -8, b.q);
}

void unpack_q4_1(const std::uint8_t* p, Block& b) {
  scale_and_offset(load_half(p), load_half(p + 2), b);
  nibbles(p + 4, 0, b.q);
}

void unpack_q5_0(const std::uint8_t* p, Block& b) {
  one_scale(load_half(p), b);
  nibbles(p + 6, -16, b.q);
  add_fifth_bits(p + 2, b.q);
}

void unpack_q5_1(const std::uint8_t* p, Block& b) {
  scale_and_offset(load_half(p), load_half(p + 2), b);
  nibbles(p + 8, 0, b.q);
  add_fifth_bits(p + 4, b.q);
}

void unpack_q8_0(const std::uint8_t* p, Block& b) {
  one_scale(load_half(p), b);
  std::memcpy(b.q, p + 2, 32);
}

void unpack_iq4_nl(const std::uint8_t* p, Block& b) {
  one_scale(load_half(p), b);
  for (int i = 0; i < 16; ++i) {
    b.q[i] = kNonLinear4[p[2 + i] & 15];
    b.q[i + 16] = kNonLinear4[p[2 + i] >> 4];
  }
}

// The scale is 2^(e - 127), of which a factor of two is in the table. 255 (not a number) is not decoded
// apart.
void unpack_mxfp4(const std::uint8_t* p, Block& b) {
  one_scale(std::ldexp(1.0F, p[0] - 128), b);
  for (int i = 0; i < 16; ++i) {
    b.q[i] = kDoubledE2M1[p[1 + i] & 15];
    b.q[i + 16] = kDoubledE2M1[p[1 + i] >> 4];
  }
}

}  // namespace

const std::vector<Unpacker>& small_unpackers() {
  static const std::vector<Unpacker> unpackers = {
      {"Q4_0", unpack_q4_0}, {"Q4_1", unpack_q4_1},     {"Q5_0", unpack_q5_0},  {"Q5_1", unpack_q5_1},
      {"Q8_0", unpack_q8_0}, {"IQ4_NL", unpack_iq4_nl}, {"MXFP4", unpack_mxfp4}};
  return unpackers;
}

}  // namespace edgenpu::numerics
