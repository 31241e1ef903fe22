#include "lowering/memory_map.h"

#include <algorithm>
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

std::int64_t in_pages(std::int64_t rows, std::int64_t page) {
  return page > 0 ? ceil_div(rows, page) * page : rows;
}

void check_fit(const Trace& trace, const config::Memory& memory, std::int64_t kv_page) {
  const Bytes kv = allocated_kv(trace, kv_page), needed = memory_needed(trace, memory, kv_page);
  if (needed <= memory.capacity) return;
  const Bytes inputs = workload::inputs_read(trace);
  throw InfeasibleError(
      fmt::format("{} {} at context {} does not fit the memory: needs {} B (weights {} B,{} KV cache {} B, "
                  "reserve {} B), "
                  "there are {} B",
                  trace.model, trace.quant, trace.context, needed.count(), trace.resident_weights.count(),
                  inputs > Bytes(0) ? fmt::format(" inputs {} B,", inputs.count()) : "", kv.count(),
                  memory.reserve.count(), memory.capacity.count()));
}

}  // namespace

Bytes memory_needed(const Trace& trace, const config::Memory& memory, std::int64_t kv_page) {
  return trace.resident_weights + workload::inputs_read(trace) + allocated_kv(trace, kv_page) +
         memory.reserve;
}

Bytes allocated_kv(const Trace& trace, std::int64_t kv_page) {
  Bytes bytes = trace.resident_kv;
  for (const Operator& op : trace.operators) {
    const auto* o = std::get_if<Attention>(&op.body);
    if (!o) continue;
    const std::int64_t all = o->cached + o->m, rows = o->window == 0 ? all : std::min(all, o->window);
    bytes += vocabulary::row_bytes(o->kv_format, o->head_dim) *
             (2 * o->kv_heads * o->requests * (in_pages(rows, kv_page) - rows));
  }
  return bytes;
}

std::int64_t KvPlace::address(std::int64_t request, int which, std::int64_t head_index,
                              std::int64_t token) const {
  const std::int64_t plane = (request * 2 + which) * kv_heads + head_index;
  return base + plane * head.count() + token * row.count();
}

MemoryMap map_memory(const Trace& trace, const config::Memory& memory, std::int64_t kv_page) {
  check_fit(trace, memory, kv_page);
  MemoryMap map;
  std::int64_t next = 0;
  for (const Operator& op : trace.operators) {
    for (const auto& [place, size] : {std::pair(&map.weights, workload::weight_bytes(op.body)),
                                      std::pair(&map.inputs, workload::input_bytes(op))}) {
      place->push_back(size > Bytes(0) ? next : -1);
      next = aligned(next + size.count());
    }
  }
  map.kv.resize(trace.operators.size());
  std::map<int, KvPlace> by_layer;
  for (std::size_t i = 0; i < trace.operators.size(); ++i) {
    const auto* attention = std::get_if<Attention>(&trace.operators[i].body);
    if (!attention) continue;
    KvPlace place;
    place.base = next;
    place.row = vocabulary::row_bytes(attention->kv_format, attention->head_dim);
    place.cached = attention->cached;
    place.head = place.row * in_pages(attention->cached + attention->m, kv_page);
    place.kv_heads = attention->kv_heads;
    next = aligned(next + place.head.count() * 2 * place.kv_heads * attention->requests);
    by_layer[trace.operators[i].layer] = map.kv[i] = place;
  }
  for (std::size_t i = 0; i < trace.operators.size(); ++i)
    if (std::holds_alternative<workload::KvWrite>(trace.operators[i].body))
      map.kv[i] = by_layer[trace.operators[i].layer];
  map.end = next;
  // A hand-written trace may state less than its operators have.
  if (Bytes(map.end) > memory.capacity)
    throw InfeasibleError(
        fmt::format("{}: weights and cache of its operators take {} B at their places; the memory "
                    "has {} B",
                    trace.model, map.end, memory.capacity.count()));
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
  const Bytes lists(map.end - begin),
      needed = memory_needed(trace, npu.memory, npu.kv_page) - npu.memory.reserve + lists;
  if (lists <= npu.memory.reserve || needed <= npu.memory.capacity) return;
  throw InfeasibleError(
      fmt::format("{} does not fit the memory with {} B of gather lists for pages of {} tokens: "
                  "needs {} B, there are {} B",
                  trace.model, lists.count(), npu.kv_page, needed.count(), npu.memory.capacity.count()));
}

}  // namespace edgenpu::lowering
