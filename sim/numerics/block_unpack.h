// One unpacker a format: bytes of one block to integers. Internal to the room; use block.h.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/block.h"

namespace edgenpu::numerics {

struct Unpacker {
  const char* format;  // its name
  void (*unpack)(const std::uint8_t* bytes, Block& block);
};

const std::vector<Unpacker>& small_unpackers();  // of 32 elements a block
const std::vector<Unpacker>& super_unpackers();  // of 256

}  // namespace edgenpu::numerics
