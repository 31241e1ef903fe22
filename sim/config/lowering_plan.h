// `lowering.plan`: a map from patterns of operator names to what their plans shall be:
//   plan: {ffn_down: {order: outputs, tile_m: 256}, blk.0.*: {tile_n: 64}, attn_q: {split: rows}}
#pragma once

#include <vector>

#include "config/npu.h"

namespace edgenpu::config {

std::vector<PlanOverride> read_plan(const Value& section, Diagnostics& out);

}  // namespace edgenpu::config
