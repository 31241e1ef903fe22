// How many rows of an operator fit beside each other in the rings of a layout.
#include <algorithm>
#include <limits>

#include "lowering/layout.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
// A block of attention scores has at least this many keys.
constexpr std::int64_t kLeastKeys = 32;
// A vector command has at least so many rows, if they fit, however wide they are. Assumed.
constexpr std::int64_t kLeastRows = 4;

const Value& value(const Layout& layout, int op) {
  return layout.values[static_cast<std::size_t>(op)];
}

// How many rows of `bytes` fit twice into a ring.
std::int64_t twice(Bytes ring, std::int64_t bytes) {
  return bytes == 0 ? kAny : ring.count() / (2 * bytes);
}

struct Limit {
  const Layout& layout;
  const Trace& trace;
  const config::Npu& npu;
  int op;
  Bytes loads = layout.division.loads(npu.scratchpad.size);

  const Operator& self() const { return trace.operators[static_cast<std::size_t>(op)]; }
  bool spilled(int o) const { return value(layout, o).place == Place::dram; }

  std::int64_t operator()(const MatMul& o) const {
    const bool loaded = !self().needs.empty() && spilled(self().needs[0]);
    const std::int64_t inputs = loaded ? twice(loads, o.input_width() * operand_bytes(self())) : kAny;
    if (layout.division.outputs == Bytes(0)) return inputs;
    // Two tiles of results: of this product, or of all products that an activation waits for.
    const int next = follower(trace, layout.consumers, op, layout.follow);
    const std::int64_t parts =
        next < 0 ? 1
                 : static_cast<std::int64_t>(trace.operators[static_cast<std::size_t>(next)].needs.size());
    const std::int64_t columns =
        std::min<std::int64_t>(o.n, std::int64_t{npu.matrix.engines} * npu.matrix.outputs());
    return std::min(inputs, twice(layout.division.outputs, columns * parts * kResultBytes));
  }
  // In tokens: the query heads of one KV head work together.
  std::int64_t operator()(const Attention& o) const {
    const std::int64_t heads = o.heads / o.kv_heads;
    std::int64_t by_scores = twice(layout.scores, heads * kLeastKeys * kResultBytes);
    if (input_bytes(self()) > Bytes(0))
      by_scores = std::min(by_scores, twice(loads, heads * o.head_dim * kAttentionBytes));
    if (layout.division.outputs == Bytes(0)) return by_scores;
    return std::min(by_scores, twice(layout.division.outputs, heads * o.head_dim * kResultBytes));
  }
  // Follows its product, if there is one.
  std::int64_t operator()(const Sample&) const { return twice(loads, given_row_bytes(self()).count()); }
  std::int64_t operator()(const KvWrite& o) const {
    std::int64_t bytes = given_row_bytes(self()).count();
    for (const int need : self().needs) bytes += spilled(need) ? value(layout, need).row().count() : 0;
    const std::int64_t stored = 2 * o.kv_heads * row_bytes(o.kv_format, o.head_dim).count();
    return std::min(twice(loads, bytes), twice(layout.division.outputs, stored));
  }
  template <class Other>
  std::int64_t operator()(const Other& o) const {
    std::int64_t out = spilled(op) ? value(layout, op).row().count() : 0;
    if (const int norm = norm_after(trace, op, layout.follow); norm >= 0 && spilled(norm))
      out += value(layout, norm).row().count();
    std::int64_t in = spilled_row_bytes(layout, trace, op);
    if constexpr (std::is_same_v<Other, Embed>) in += row_bytes(o.format, o.width).count();
    return std::min(twice(loads, in), twice(layout.division.outputs, out));
  }
};

}  // namespace

std::int64_t spilled_row_bytes(const Layout& layout, const Trace& trace, int op) {
  const Operator& self = trace.operators[static_cast<std::size_t>(op)];
  std::int64_t bytes = given_row_bytes(self).count();
  for (const int need : self.needs) {
    const Value& v = value(layout, need);
    if (v.place != Place::dram) continue;
    if (const auto* combine = std::get_if<Combine>(&self.body);
        combine && v.rows == combine->m * combine->active) {
      bytes += combine->active * v.row().count();
      continue;
    }
    // Queries and keys of a fused product are parts of its rows.
    const bool part = std::holds_alternative<Rope>(self.body);
    bytes += part ? value(layout, op).width * v.element : v.row().count();
  }
  return bytes;
}

std::int64_t row_limit(const Layout& layout, const Trace& trace, const config::Npu& npu, int op) {
  return std::visit(Limit{layout, trace, npu, op}, trace.operators[static_cast<std::size_t>(op)].body);
}

std::int64_t chunk_rows(const Layout& layout, const Trace& trace, const config::Npu& npu, int op) {
  const std::int64_t row = std::max<std::int64_t>(1, value(layout, op).width * kResultBytes);
  const std::int64_t limit =
      std::min(row_limit(layout, trace, npu, op),
               std::max(kLeastRows, npu.vector_command.count() / npu.vector.pipelines / row));
  std::int64_t rows = 1;
  while (rows <= limit / 2) {
    if (rows >= rows_of(trace.operators[static_cast<std::size_t>(op)].body)) break;
    rows *= 2;
  }
  return rows;
}

}  // namespace edgenpu::lowering
