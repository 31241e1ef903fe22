#include "lowering/tile_choice.h"

#include <algorithm>

namespace edgenpu::lowering {

std::int64_t choose_tile(const config::Npu& npu, Bytes row, Bytes ring, std::int64_t outputs) {
  const std::int64_t pass = std::int64_t{npu.matrix.engines} * npu.matrix.outputs();
  std::int64_t tile = std::max<std::int64_t>(1, npu.load_size() / row);
  // A size that was set is a limit, not an aim.
  const bool fill = npu.matrix.dataflow != config::Dataflow::dot_product && npu.tile == Bytes(0);
  if (fill) tile = std::max(tile, pass);
  tile = std::min(tile, std::max<std::int64_t>(1, ring / (row * 2)));
  return std::min(tile >= pass ? tile / pass * pass : tile, outputs);
}

}  // namespace edgenpu::lowering
