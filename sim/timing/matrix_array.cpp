#include "timing/matrix_array.h"

#include <algorithm>
#include <cmath>

#include "base/rates.h"

namespace edgenpu::timing {

using config::Split;

namespace {

// Steps of the operand stream in cycles.
std::int64_t steps(const MatrixArray& a, std::int64_t n) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(n) / a.products_per_cycle));
}

// Folds of `prepare` + stream + `finish`; overlapped, all but the last cost no more than the longest of their
// parts.
Cycles folded(const MatrixArray& a, std::int64_t folds, std::int64_t prepare, std::int64_t stream,
              std::int64_t skew, std::int64_t finish) {
  const std::int64_t whole = prepare + steps(a, stream + skew) + finish;
  if (!a.overlapped) return Cycles(folds) * whole;
  return Cycles(folds - 1) * std::max({prepare, steps(a, stream), finish}) + Cycles(whole);
}

}  // namespace

std::int64_t folds(const MatrixArray& a, std::int64_t m, std::int64_t n, std::int64_t k) {
  switch (a.dataflow) {
    case Dataflow::dot_product:
      return m * ceil_div(n, a.rows) * ceil_div(k, a.columns);
    case Dataflow::weight_stationary:
      return ceil_div(k, a.rows) * ceil_div(n, a.columns);
    case Dataflow::output_stationary:
      return ceil_div(m, a.rows) * ceil_div(n, a.columns);
  }
  return 0;
}

Cycles array_cycles(const MatrixArray& a, std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t skew = a.rows + a.columns - 2, f = folds(a, m, n, k);
  if (f == 0) return Cycles(0);
  switch (a.dataflow) {
    case Dataflow::dot_product:
      return cycles_of_passes(a, f);
    case Dataflow::weight_stationary:
      return folded(a, f, a.rows, m, skew, 0);
    case Dataflow::output_stationary:
      return folded(a, f, 0, k, skew, a.rows);
  }
  return Cycles(0);
}

Cycles fold_span(const MatrixArray& a, std::int64_t m, std::int64_t k) {
  const std::int64_t skew = a.rows + a.columns - 2;
  switch (a.dataflow) {
    case Dataflow::dot_product:
      return Cycles(steps(a, 1));
    case Dataflow::weight_stationary:
      return Cycles(steps(a, m + skew));
    case Dataflow::output_stationary:
      return Cycles(steps(a, k + skew));
  }
  return Cycles(0);
}

double mapping_efficiency(const MatrixArray& a, std::int64_t m, std::int64_t n, std::int64_t k) {
  const double products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const std::int64_t stream = a.dataflow == Dataflow::dot_product         ? 1
                              : a.dataflow == Dataflow::weight_stationary ? m
                                                                          : k;
  return products / (static_cast<double>(folds(a, m, n, k)) * static_cast<double>(stream) *
                     static_cast<double>(a.rows * a.columns));
}

Cycles cycles_of_passes(const MatrixArray& a, std::int64_t passes) {
  return Cycles(steps(a, passes));
}

MatrixArray array_of(const config::MatrixEngines& e, double products_per_cycle) {
  return {e.dataflow, e.rows, e.columns, e.overlapped, products_per_cycle};
}

Share share_of(Split split, std::int64_t engines, std::int64_t m, std::int64_t n, std::int64_t k) {
  if (split == Split::rows) return {ceil_div(m, engines), n, k};
  if (split == Split::reduction) return {m, n, ceil_div(k, engines)};
  return {m, ceil_div(n, engines), k};
}

Cycles split_cycles(const MatrixArray& a, Split split, std::int64_t engines, std::int64_t m, std::int64_t n,
                    std::int64_t k) {
  const Share s = share_of(split, engines, m, n, k);
  const Cycles own = array_cycles(a, s.m, s.n, s.k);
  if (split != Split::reduction || engines == 1) return own;
  std::int64_t levels = 0;
  while (std::int64_t{1} << levels < engines) ++levels;
  const std::int64_t outputs = a.dataflow == Dataflow::dot_product ? a.rows : a.columns;
  return own + Cycles(levels + m * ceil_div(n, outputs));
}

std::int64_t partial_sums(Split split, std::int64_t engines, std::int64_t k) {
  if (split != Split::reduction || k == 0) return 0;
  return ceil_div(k, ceil_div(k, engines)) - 1;
}

Split best_split(const MatrixArray& a, std::int64_t engines, std::int64_t m, std::int64_t n, std::int64_t k) {
  Split best = Split::outputs;
  for (const Split split : {Split::rows, Split::reduction})
    if (split_cycles(a, split, engines, m, n, k) < split_cycles(a, best, engines, m, n, k)) best = split;
  return best;
}

}  // namespace edgenpu::timing
