// How many outputs a tile of weights has: the plan of a matrix product.
//
// A tile is loaded as a whole and multiplied by one command. The search tries powers of two and whole passes
// of the engines and takes the one that costs least:
//
//   ceil(n / tile) x max(load of the tile at the memory's peak rate, engines' array, decoder) + load of the
//   first tile
//
// which trades engines that a small tile leaves part filled against waiting for the first large one; of
// equals, the smallest. No tile is smaller than a granule of each memory channel (it would not keep them all
// busy), unless no more fits. Left out: what prefetch hides of the first load, refresh and row misses.
#pragma once

#include <cstdint>

#include "base/quantity.h"
#include "config/npu.h"

namespace edgenpu::lowering {

struct TileShape {
  std::int64_t m = 1, n = 1, k = 1;
  Bytes row{0};  // of weights, stored, of all products that share the tile
  double products_per_cycle = 1;
  std::int64_t weights_per_cycle = 0;  // decoder of an engine; 0: none is needed
};

// At most `most` outputs (>= 1).
std::int64_t search_tile(const config::Npu& npu, const TileShape& shape, std::int64_t most);

// The estimate that the search compares, in cycles.
double tile_cost(const config::Npu& npu, const TileShape& shape, std::int64_t tile);

}  // namespace edgenpu::lowering
