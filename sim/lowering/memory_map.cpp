#include "lowering/memory_map.h"

#include <fmt/format.h>
#include <map>

#include "base/error.h"
#include "base/rates.h"

namespace edgenpu::lowering {

namespace {

using workload::Attention;
using workload::Operator;
using workload::Trace;

constexpr std::int64_t kAlignment = 64;

std::int64_t aligned(std::int64_t address) {
  return ceil_div(address, kAlignment) * kAlignment;
}

void check_fit(const Trace& trace, const config::Memory& memory) {
  const Bytes needed = trace.resident_weights + trace.resident_kv + memory.reserve;
  if (needed <= memory.capacity) return;
  throw InfeasibleError(
      fmt::format("{} {} at context {} does not fit the memory: needs {} B (weights {} B, KV cache {} B, "
                  "reserve {} B), there are {} B",
                  trace.model, trace.quant, trace.context, needed.count(), trace.resident_weights.count(),
                  trace.resident_kv.count(), memory.reserve.count(), memory.capacity.count()));
}

}  // namespace

std::int64_t KvPlace::address(std::int64_t request, int which, std::int64_t head_index,
                              std::int64_t token) const {
  const std::int64_t plane = (request * 2 + which) * kv_heads + head_index;
  return base + plane * head.count() + token * row.count();
}

MemoryMap map_memory(const Trace& trace, const config::Memory& memory) {
  check_fit(trace, memory);
  MemoryMap map;
  std::int64_t next = 0;
  for (const Operator& op : trace.operators) {
    const std::int64_t bytes = workload::weight_bytes(op.body).count();
    map.weights.push_back(bytes > 0 ? next : -1);
    next = aligned(next + bytes);
  }
  map.kv.resize(trace.operators.size());
  std::map<int, KvPlace> by_layer;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const auto* attention = std::get_if<Attention>(&trace.operators[i].body);
    if (!attention) continue;
    KvPlace place;
    place.base = next;
    place.row = workload::row_bytes(attention->kv_format, attention->head_dim);
    place.head = place.row * (attention->cached + attention->m);
    place.kv_heads = attention->kv_heads;
    next = aligned(next + place.head.count() * 2 * place.kv_heads * attention->requests);
    by_layer[trace.operators[i].layer] = map.kv[i] = place;
  }
  for (std::size_t i = 0; i < trace.operators.size(); ++i)
    if (std::holds_alternative<workload::KvWrite>(trace.operators[i].body))
      map.kv[i] = by_layer[trace.operators[i].layer];
  map.end = next;
  return map;
}

std::int64_t list_bytes(const Attention& attention, const config::Npu& npu) {
  if (npu.kv_page == 0) return 0;
  return ceil_div(attention.cached, npu.kv_page) * npu.dma.list_entry.count();
}

void map_lists(MemoryMap& map, const Trace& trace, const config::Npu& npu) {
  if (!npu.dma.gather || !npu.dma.list_in_dram || npu.kv_page == 0) return;
  const std::int64_t begin = map.end;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const auto* attention = std::get_if<Attention>(&trace.operators[i].body);
    if (!attention) continue;
    map.kv[i].lists = map.end;
    map.end = aligned(map.end + list_bytes(*attention, npu) * 2 * attention->kv_heads * attention->requests);
  }
  const Bytes lists(map.end - begin), needed = trace.resident_weights + trace.resident_kv + lists;
  if (lists <= npu.memory.reserve || needed <= npu.memory.capacity) return;
  throw InfeasibleError(
      fmt::format("{} does not fit the memory with {} B of gather lists for pages of {} tokens: "
                  "needs {} B, there are {} B",
                  trace.model, lists.count(), npu.kv_page, needed.count(), npu.memory.capacity.count()));
}

}  // namespace edgenpu::lowering
