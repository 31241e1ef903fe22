// What a plan of a matrix product costs.
#include <algorithm>

#include "base/rates.h"
#include "lowering/plan.h"
#include "lowering/product_plan.h"
#include "timing/matrix_array.h"
#include "timing/unit_cycles.h"

namespace edgenpu::lowering {

using config::LoopOrder;

namespace {

// The lengths of tiles, and how many there are of each: the last may be shorter.
template <class F>
void each_tile(std::int64_t all, std::int64_t tile, F f) {
  if (all / tile > 0) f(tile, all / tile);
  if (all % tile > 0) f(all % tile, std::int64_t{1});
}

// Rows of a copy, and how many copies see so many.
template <class F>
void each_copy(const Product& p, F f) {
  if (p.extra > 0) f(p.rows + 1, p.extra);
  if (p.copies > p.extra) f(p.rows, p.copies - p.extra);
}

std::int64_t part_of(std::int64_t bytes, std::int64_t mine, std::int64_t all) {
  return ceil_div(bytes * mine, all);
}

std::int64_t command_cycles(const config::Npu& npu, const Product& p, const Product::Part& part,
                            config::Split split, std::int64_t m, std::int64_t n, std::int64_t k) {
  const config::MatrixEngines& e = npu.matrix;
  const timing::MatrixArray array = timing::array_of(e, part.rate);
  if (split == config::Split::best) split = timing::best_split(array, e.engines, m, n, k);
  std::int64_t cycles = timing::split_cycles(array, split, e.engines, m, n, k).count();
  const timing::Share s = timing::share_of(split, e.engines, m, n, k);
  if (part.decoded > 0) cycles = std::max(cycles, timing::decode_cycles(s.n * s.k, part.decoded).count());
  const std::int64_t inputs = activation_bytes(npu, part_of(p.input_row.count() * m, k, p.k), m, n);
  const std::int64_t weights = part_of(part_of(part_of(part.row.count() * n, k, p.k), s.n, n), s.k, k);
  const std::int64_t read = weights + part_of(part_of(inputs, s.m, m), s.k, k);
  return std::max(cycles, ceil_div(read, e.port.count()));
}

// Of one copy that sees `rows` rows.
void add_traffic(ProductCost& c, const Product& p, const ProductPlan& plan, std::int64_t rows,
                 std::int64_t copies) {
  const std::int64_t row_blocks = ceil_div(rows, plan.m), output_blocks = ceil_div(p.n, plan.n);
  const Bytes weights = p.row() * p.n + p.bias(), inputs = p.inputs_in_dram ? p.input_row * rows : Bytes(0);
  c.once += weights * copies;
  if (p.inputs_given) {
    c.once += inputs * copies;
    c.again -= inputs * copies;
  }
  if (plan.order == LoopOrder::weights) {
    c.again += inputs * output_blocks * copies;
    c.exposed += p.row() * plan.piece * output_blocks * copies;
    return;
  }
  const bool held = plan.order == LoopOrder::activations;
  const Bytes piece = inputs * plan.k / p.k / row_blocks;
  c.again += (weights * (row_blocks - 1) + inputs * (held ? 1 : output_blocks)) * copies;
  c.exposed += piece * (held ? row_blocks : 1) * copies;
  // Sums that stay leave with the last of the reduction, those of the last block when nothing is left to
  // compute.
  if (!held && p.results_leave) c.exposed += Bytes(std::min(rows, plan.m) * plan.n * p.result_bytes) * copies;
}

void add_room(ProductCost& c, const Product& p, const ProductPlan& plan) {
  const std::int64_t m = std::min(plan.m, p.most_rows());
  const Bytes inputs = p.inputs_in_dram ? p.input_row * m : Bytes(0);
  const Bytes results(m * p.result_bytes);  // a column of them
  const auto weights = [&](std::int64_t n) { return Bytes(part_of(p.row().count() * n, plan.k, p.k)); };
  switch (plan.order) {
    case LoopOrder::activations:
      c.held = inputs;
      c.loads = weights(plan.n) * 2 + p.bias();
      if (p.results_leave || plan.k < p.k) c.outputs = results * plan.n * 2;
      break;
    case LoopOrder::weights:
      c.held = weights(plan.n) + p.bias();
      c.loads = inputs * 2;
      if (p.results_leave) c.outputs = results * plan.piece * 2;
      break;
    case LoopOrder::outputs:
      c.loads = (weights(plan.n) + inputs * plan.k / p.k) * 2 + p.bias();
      c.outputs = results * plan.n;
      break;
  }
}

}  // namespace

std::int64_t activation_bytes(const config::Npu& npu, std::int64_t inputs, std::int64_t m, std::int64_t n) {
  const std::int64_t passes = ceil_div(ceil_div(n, npu.matrix.engines), npu.matrix.outputs());
  return inputs * (m == 1 || inputs <= npu.matrix.buffer.count() ? 1 : passes);
}

Bytes Product::row() const {
  Bytes sum{0};
  for (const Part& part : parts) sum += part.row;
  return sum;
}

Bytes Product::bias() const {
  Bytes sum{0};
  for (const Part& part : parts) sum += part.bias;
  return sum;
}

std::int64_t whole_rows(std::int64_t rows) {
  if (rows >= kLargestGranule) return rows / kLargestGranule * kLargestGranule;
  std::int64_t power = 1;
  while (power * 2 <= rows) power *= 2;
  return power;
}

std::int64_t outputs_per_pass(const config::Npu& npu) {
  return std::int64_t{npu.matrix.engines} * npu.matrix.outputs();
}

std::int64_t equal_tiles(std::int64_t n, std::int64_t most, std::int64_t pass) {
  const std::int64_t equal = ceil_div(n, ceil_div(n, most));
  const std::int64_t passes = ceil_div(equal, pass) * pass;
  return passes <= most ? passes : equal;
}

std::int64_t outputs_in_time(const Product& p, const config::Npu& npu) {
  constexpr std::int64_t kTiles = 16;  // assumed
  const std::int64_t pass = outputs_per_pass(npu);
  return p.most_rows() == 1 ? p.n : std::min(p.n, std::max<std::int64_t>(1, p.n / kTiles / pass) * pass);
}

std::int64_t ProductPlan::tiles(const Product& p) const {
  std::int64_t row_blocks = 0;
  each_copy(p, [&](std::int64_t rows, std::int64_t copies) { row_blocks += ceil_div(rows, m) * copies; });
  return row_blocks * ceil_div(p.n, n) * ceil_div(p.k, k);
}

ProductCost bytes_of(const Product& p, const ProductPlan& plan) {
  ProductCost c;
  each_copy(p, [&](std::int64_t rows, std::int64_t copies) { add_traffic(c, p, plan, rows, copies); });
  const auto parts = static_cast<std::int64_t>(p.parts.size());
  const std::int64_t rows = p.rows * p.copies + p.extra;
  c.sums = Bytes(2 * (ceil_div(p.k, plan.k) - 1) * rows * p.n * kResultBytes * parts);
  add_room(c, p, plan);
  return c;
}

std::int64_t cycles_of(const Product& p, const ProductPlan& plan, const config::Npu& npu) {
  std::int64_t cycles = 0;
  each_copy(p, [&](std::int64_t rows, std::int64_t copies) {
    each_tile(rows, plan.m, [&](std::int64_t m, std::int64_t ms) {
      each_tile(p.n, plan.width(p), [&](std::int64_t n, std::int64_t ns) {
        each_tile(p.k, plan.k, [&](std::int64_t k, std::int64_t ks) {
          for (const Product::Part& part : p.parts)
            cycles += copies * ms * ns * ks * command_cycles(npu, p, part, plan.split, m, n, k);
        });
      });
    });
  });
  return cycles;
}

}  // namespace edgenpu::lowering
