// The arithmetic of a matrix engine, by its choices rather than its circuits. The defaults are wide: they
// give the results of ggml arithmetic but for the order in which floats are added.
//
// A product of a weight row with an activation row runs like this:
//   1. The activation is rounded to integers of `activation_bits`, one factor a block of the weight format
//      (as ggml) or one for the whole row.
//   2. Integer products are added in an accumulator of `accumulator_bits`, each product first cut by
//   `dropped_bits`.
//   3. The weights' group scales come in at `scale_at`:
//        accumulator  an integer scale multiplies the group's sum and goes on in the accumulator; the block's
//                     float factors are applied once a block
//        group        each group's sum leaves the accumulator and is scaled as a float
//        row          the engine knows one factor a row only: weights are requantised to 8 bits with it, and
//                     so is the activation; one float multiplication a result
//   4. Floats between blocks (or groups) are added in `partial_sums` format, in the plan's order: every
//      `tile_k` elements the sum so far is put away and added to what was put away before.
// With `half_operands`, weights are decoded and rounded to F16 instead, as is the activation, and each
// product is added in `partial_sums` format. Attention always works so, but for keys of a block format with
// integer operands.
//
// Weights in F32 (router) are multiplied in float32 by the vector engine, whose functions come from a table
// of `function_entries` values with linear interpolation (0: exact).
//
// Left out: rounding inside float multipliers narrower than their format. Errors: InputError for values out
// of range.
#pragma once

#include <cstdint>
#include <vector>

#include "config/placement.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::numerics {

enum class ScaleAt { accumulator, group, row };
enum class ActivationFactor { block, row };
enum class SumFormat { F32, F16, BF16 };
enum class Overflow { saturate, wrap };
enum class Cut { truncate, nearest };

struct NpuArithmetic {
  bool half_operands = false;
  int activation_bits = 8;  // 2 to 8
  ActivationFactor activation_factor = ActivationFactor::block;
  int accumulator_bits = 32;  // 8 to 32
  Overflow overflow = Overflow::saturate;
  int dropped_bits = 0;  // 0 to 15
  Cut cut = Cut::nearest;
  ScaleAt scale_at = ScaleAt::accumulator;
  SumFormat partial_sums = SumFormat::F32;
  std::int64_t tile_k = 0;   // 0: the whole row; else a multiple of 256
  int function_entries = 0;  // 0, or 8 to 65536
  // lowering.operands: products that are multiplied in another format than these keys say (fp16, bf16:
  // decoded and rounded to it; int8, int4_int8: integers, in spite of half_operands).
  std::vector<config::OperandChoice> operands;
};

// Reads the section `arithmetic` of a hardware description, with the names above as keys, and the map
// lowering.operands; what is missing keeps its default, as does everything if the section is missing.
// InputError with all findings.
NpuArithmetic read_npu_arithmetic(const config::Value& hardware);

}  // namespace edgenpu::numerics
