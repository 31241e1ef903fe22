// How many outputs a tile of weights has: the plan of a matrix product. A tile is loaded as a whole and
// multiplied by one command.
//
// As many outputs as load_size() brings, in whole passes of the engines if that many; at most half the ring
// that loads flow through, so that the next tile loads while this one is used. A systolic array gets at least
// one whole pass, if that fits: part filled, it takes as long for a fold as filled.
//
// On purpose neither clocks nor rates decide: a plan chosen by estimated time got worse by up to 5 % with a
// faster clock or a larger scratchpad, where the estimate of the better plan was off by less
// (tests/simulate/growth_test).
#pragma once

#include <cstdint>

#include "base/quantity.h"
#include "config/npu.h"

namespace edgenpu::lowering {

// `row`: stored bytes of the weights of one output, of all products that share the tile. `ring` holds a row
// twice.
std::int64_t choose_tile(const config::Npu& npu, Bytes row, Bytes ring, std::int64_t outputs);

}  // namespace edgenpu::lowering
