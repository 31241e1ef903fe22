#include "lowering/tile_search.h"

#include <algorithm>
#include <set>

#include "base/rates.h"
#include "timing/matrix_array.h"
#include "timing/unit_cycles.h"

namespace edgenpu::lowering {

double tile_cost(const config::Npu& npu, const TileShape& s, std::int64_t tile) {
  const timing::MatrixArray array = timing::array_of(npu.matrix, s.products_per_cycle);
  const config::Split split = npu.matrix.split == config::Split::best
                                  ? timing::best_split(array, npu.matrix.engines, s.m, tile, s.k)
                                  : npu.matrix.split;
  const timing::Share share = timing::share_of(split, npu.matrix.engines, s.m, tile, s.k);
  Cycles engines = timing::split_cycles(array, split, npu.matrix.engines, s.m, tile, s.k);
  if (s.weights_per_cycle > 0)
    engines = std::max(engines, timing::decode_cycles(share.n * share.k, s.weights_per_cycle));
  const double bytes_per_cycle =
      npu.memory.ideal ? 1e18 : npu.memory.peak().count() / static_cast<double>(npu.clock.count());
  const double load = static_cast<double>(s.row.count() * tile) / bytes_per_cycle;
  return static_cast<double>(ceil_div(s.n, tile)) * std::max(load, static_cast<double>(engines.count())) +
         load;
}

std::int64_t search_tile(const config::Npu& npu, const TileShape& s, std::int64_t most) {
  most = std::min(most, s.n);
  const std::int64_t pass = std::int64_t{npu.matrix.engines} * npu.matrix.outputs();
  const std::int64_t granules = npu.memory.channels * npu.memory.interleave.count();
  const std::int64_t least = std::min(most, ceil_div(granules, s.row.count()));
  std::set<std::int64_t> candidates{most};
  for (std::int64_t tile = 1; tile <= most; tile *= 2) candidates.insert(tile);
  for (std::int64_t passes = 1; passes * pass <= most; passes *= 2) candidates.insert(passes * pass);
  std::int64_t best = most;
  double least_cost = tile_cost(npu, s, most);
  for (const std::int64_t tile : candidates) {
    if (tile < least) continue;
    const double cost = tile_cost(npu, s, tile);
    if (cost > least_cost || (cost == least_cost && tile > best)) continue;
    best = tile;
    least_cost = cost;
  }
  return best;
}

}  // namespace edgenpu::lowering
