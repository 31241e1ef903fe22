#include "numerics/block.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "numerics/block_unpack.h"
#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

// Sizes are the format's; a group of more than 32 is taken in groups of 32.
std::vector<std::optional<BlockShape>> make_shapes() {
  std::vector<std::optional<BlockShape>> shapes(vocabulary::all_formats().size());
  for (const std::vector<Unpacker>* unpackers : {&small_unpackers(), &super_unpackers()})
    for (const Unpacker& u : *unpackers) {
      const Format format = vocabulary::format_named(u.format);
      const vocabulary::FormatInfo& f = vocabulary::info(format);
      const int group = std::min(32, f.arithmetic.scale_group);
      if ((group != 16 && group != 32) || f.block_elements > kMostElements || f.block_elements % group != 0)
        throw InternalError(std::string(f.name) + ": groups of 16 or 32 are decoded");
      shapes[static_cast<std::size_t>(format)] =
          BlockShape{f.block_elements, f.block_bytes, group, f.has_min, u.unpack};
    }
  return shapes;
}

const BlockShape* find(Format format) {
  static const std::vector<std::optional<BlockShape>> shapes = make_shapes();
  const std::optional<BlockShape>& shape = shapes[static_cast<std::size_t>(format)];
  return shape ? &*shape : nullptr;
}

template <int kGroup, bool kHasMin>
void scale_block(const Block& b, int elements, float* out) {
  for (std::ptrdiff_t g = 0; g < elements / kGroup; ++g) {
    const float scale = b.d * static_cast<float>(b.scale[g]);
    const float min = b.dmin * static_cast<float>(b.min[g]);
    const std::int8_t* const q = b.q + g * kGroup;
    float* const y = out + g * kGroup;
    for (int i = 0; i < kGroup; ++i) {
      const float product = scale * static_cast<float>(q[i]);
      y[i] = kHasMin ? product - min : product;
    }
  }
}

void decode_blocks(const BlockShape& shape, const std::uint8_t* bytes, std::int64_t blocks, float* out) {
  const auto scale = shape.group == 16 ? (shape.has_min ? scale_block<16, true> : scale_block<16, false>)
                                       : (shape.has_min ? scale_block<32, true> : scale_block<32, false>);
  Block block;
  for (std::int64_t i = 0; i < blocks; ++i) {
    shape.unpack(bytes + i * shape.bytes, block);
    scale(block, shape.elements, out + i * shape.elements);
  }
}

}  // namespace

bool has_integer_form(Format format) {
  return find(format) != nullptr;
}

const BlockShape& block_shape(Format format) {
  const BlockShape* shape = find(format);
  if (shape == nullptr)
    throw InternalError(std::string(vocabulary::info(format).name) + " has no integer form");
  return *shape;
}

void decode(Format format, const std::uint8_t* bytes, std::int64_t elements, float* out) {
  switch (format) {
    case Format::F32:
      std::memcpy(out, bytes, static_cast<std::size_t>(elements) * 4);
      return;
    case Format::F16:
      for (std::int64_t i = 0; i < elements; ++i) out[i] = load_half(bytes + 2 * i);
      return;
    case Format::BF16:
      for (std::int64_t i = 0; i < elements; ++i) out[i] = bf16_to_float(load_u16(bytes + 2 * i));
      return;
    default:
      break;
  }
  const BlockShape& shape = block_shape(format);
  if (elements % shape.elements != 0) throw InternalError("decoding a part of a block");
  decode_blocks(shape, bytes, elements / shape.elements, out);
}

}  // namespace edgenpu::numerics
