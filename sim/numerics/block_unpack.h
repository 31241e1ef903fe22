// One unpacker a format: bytes of one block to integers. Internal to the room; use block.h.
#pragma once

#include <cstdint>

#include "numerics/block.h"

namespace edgenpu::numerics {

void unpack_q4_0(const std::uint8_t* bytes, Block& block);
void unpack_q4_1(const std::uint8_t* bytes, Block& block);
void unpack_q5_0(const std::uint8_t* bytes, Block& block);
void unpack_q5_1(const std::uint8_t* bytes, Block& block);
void unpack_q8_0(const std::uint8_t* bytes, Block& block);
void unpack_mxfp4(const std::uint8_t* bytes, Block& block);
void unpack_iq4_nl(const std::uint8_t* bytes, Block& block);
void unpack_q2_k(const std::uint8_t* bytes, Block& block);
void unpack_q3_k(const std::uint8_t* bytes, Block& block);
void unpack_q4_k(const std::uint8_t* bytes, Block& block);
void unpack_q5_k(const std::uint8_t* bytes, Block& block);
void unpack_q6_k(const std::uint8_t* bytes, Block& block);
void unpack_q8_k(const std::uint8_t* bytes, Block& block);
void unpack_iq4_xs(const std::uint8_t* bytes, Block& block);

}  // namespace edgenpu::numerics
