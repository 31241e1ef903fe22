// Cycles of one matrix array on a product of m x k activations with k x n weights. Pure arithmetic, no
// memory: what is fed is there.
//
//   dot_product        `rows` outputs take in `columns` elements of the reduction each cycle, through one
//                      adder tree per output (a GEMV engine). No load of weights, no skew: m ceil(n/rows)
//                      ceil(k/columns)
//   weight_stationary  k lies along the rows, n along the columns; a fold is rows x columns weights. Weights
//                      are shifted in a row a cycle (rows), then m activations stream through, skewed: m +
//                      rows + columns - 2. `overlapped`: the weights of the next fold are loaded while this
//                      one streams (double buffered), so that all folds but the last cost max(rows, m).
//   output_stationary  m lies along the rows, n along the columns; operands stream through, skewed: k + rows
//                      + columns - 2 from the first to the last product; then the results are shifted out a
//                      row a cycle (rows). `overlapped`: they are shifted out, and the next fold streams in,
//                      behind the last products of this one, so that all folds but the last cost max(k,
//                      rows).
//
// Serial weight-stationary folds are those of SCALE-Sim (Samajdar et al., ISPASS 2020, section III): 2 rows +
// columns + m - 2 each. An operand pair of rate 1/2 takes two cycles a product: the stream is so much longer,
// loading weights and shifting out are not.
#pragma once

#include <cstdint>

#include "base/quantity.h"
#include "config/npu.h"

namespace edgenpu::timing {

using config::Dataflow;

struct MatrixArray {
  Dataflow dataflow = Dataflow::dot_product;
  std::int64_t rows = 1, columns = 1;
  bool overlapped = true;         // of dot products without meaning
  double products_per_cycle = 1;  // per multiplier; 0.5 = a product takes two cycles
};

// Tiles of the array that the product is cut into. For dot products: passes.
std::int64_t folds(const MatrixArray& array, std::int64_t m, std::int64_t n, std::int64_t k);

// Cycles from the first operand or weight to the last result.
Cycles array_cycles(const MatrixArray& array, std::int64_t m, std::int64_t n, std::int64_t k);

// Cycles from the first to the last product of one fold that the array holds whole.
Cycles fold_span(const MatrixArray& array, std::int64_t m, std::int64_t k);

// Share of the multipliers that a product would keep busy if its folds streamed without gaps.
double mapping_efficiency(const MatrixArray& array, std::int64_t m, std::int64_t n, std::int64_t k);

// Of dot products: cycles of `passes`.
Cycles cycles_of_passes(const MatrixArray& array, std::int64_t passes);

// The array of an NPU's engine for an operand pair of this rate.
MatrixArray array_of(const config::MatrixEngines& engines, double products_per_cycle);

// The part of one of `engines` that divide a product.
struct Share {
  std::int64_t m, n, k;
};
Share share_of(config::Split split, std::int64_t engines, std::int64_t m, std::int64_t n, std::int64_t k);

// Cycles of a product that `engines` divide. Divided along the reduction, a tree of adders joins their
// partial sums: a row of outputs a cycle, after one cycle for each level.
Cycles split_cycles(const MatrixArray& array, config::Split split, std::int64_t engines, std::int64_t m,
                    std::int64_t n, std::int64_t k);

// Partial sums that go from engine to engine for each output: one less than the engines that have a part of
// the reduction.
std::int64_t partial_sums(config::Split split, std::int64_t engines, std::int64_t k);

// Never Split::best; of equals the first.
config::Split best_split(const MatrixArray& array, std::int64_t engines, std::int64_t m, std::int64_t n,
                         std::int64_t k);

}  // namespace edgenpu::timing
