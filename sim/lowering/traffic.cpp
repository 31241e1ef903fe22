// DRAM bytes of a step by its layout, without making its commands.
#include <algorithm>

#include "lowering/attention_blocks.h"
#include "lowering/layout.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

struct Traffic {
  const Layout& layout;
  const Trace& trace;
  const config::Npu& npu;
  int op;

  const Operator& self() const { return trace.operators[static_cast<std::size_t>(op)]; }
  const Value& value(int o) const { return layout.values[static_cast<std::size_t>(o)]; }

  // What vector functions bring: the rows that they read of what was spilled, or that lay in memory.
  Bytes inputs(std::int64_t widest) const {
    Bytes bytes = input_bytes(self());
    if (sum_before(trace, op, layout.follow) >= 0) return bytes;
    for (const int need : self().needs) {
      const Value& v = value(need);
      if (v.place != Place::dram) continue;
      const Rows read = rows_read(self().body, v.rows, {0, rows_of(self().body)});
      bytes += Bytes(read.count * std::min(v.width, widest) * v.element);
    }
    return bytes;
  }

  Bytes operator()(const MatMul&) const { return Bytes(0); }  // of the plans
  Bytes operator()(const KvWrite& o) const {
    return inputs(o.kv_heads * o.head_dim) + kv_write_bytes(self().body);
  }
  Bytes operator()(const Rope&) const { return inputs(value(op).width); }
  // Its queries come once; keys and values once for each block of queries.
  Bytes operator()(const Attention& o) const {
    const auto& needs = self().needs;
    Bytes bytes{0};
    const std::int64_t width = o.heads * o.head_dim;
    if (!needs.empty() && value(needs[0]).place == Place::dram)
      bytes += Bytes(o.requests * o.m * width * value(needs[0]).element);
    if (input_bytes(self()) > Bytes(0)) bytes += Bytes(o.requests * o.m * width * kAttentionBytes);
    const bool from_cache = keys_from_dram(layout, trace, op);
    const std::int64_t queries = query_block(layout, trace, npu, op);
    const Bytes row = row_bytes(o.kv_format, o.head_dim) * (2 * o.kv_heads * o.requests);
    for (std::int64_t from = 0; from < o.m; from += queries) {
      const std::int64_t end = o.cached + std::min(o.m, from + queries);
      const std::int64_t oldest = oldest_key(o, from);
      bytes += row * std::max<std::int64_t>(0, o.cached - oldest);
      if (from_cache) bytes += row * (end - std::max(oldest, o.cached));
    }
    return bytes;
  }
  template <class Other>
  Bytes operator()(const Other&) const {
    constexpr std::int64_t kWhole = std::int64_t{1} << 62;
    return weight_bytes(self().body) + inputs(kWhole);
  }
};

}  // namespace

Bytes traffic_of(const Layout& layout, const Trace& trace, const config::Npu& npu) {
  Bytes bytes{0};
  for (const PlannedProduct& p : layout.products)
    bytes += p.choice.plan.cost.dram() * static_cast<std::int64_t>(p.operators.size());
  for (int op = 0; op < static_cast<int>(trace.operators.size()); ++op) {
    bytes += std::visit(Traffic{layout, trace, npu, op}, trace.operators[static_cast<std::size_t>(op)].body);
    const Value& v = layout.values[static_cast<std::size_t>(op)];
    if (v.place == Place::dram) bytes += v.bytes();
  }
  return bytes;
}

}  // namespace edgenpu::lowering
