#include "lowering/shared.h"

#include <set>
#include <utility>

#include "base/rates.h"
#include "lowering/memory_map.h"
#include "lowering/values.h"

namespace edgenpu::lowering {

namespace {

constexpr std::int64_t kLine = 64;  // results of different operators share none

void place_values(Shared& s, const workload::Trace& trace) {
  const Consumers consumers = consumers_of(trace);
  const std::vector<Value> values = values_of(trace, consumers);
  s.value.resize(values.size(), {0, Bytes(0), 0, Bytes(0)});
  for (std::size_t op = 0; op < values.size(); ++op) {
    bool crosses = false;
    for (const int reader : consumers[op]) crosses |= s.unit[static_cast<std::size_t>(reader)] != s.unit[op];
    if (!crosses || values[op].bytes() == Bytes(0)) continue;
    s.value[op] = {s.end, values[op].bytes(), 1, Bytes(0)};
    s.end = ceil_div(s.end + values[op].bytes().count(), kLine) * kLine;
    s.written += values[op].bytes();
  }
}

}  // namespace

Shared share(const workload::Trace& trace, const config::Memory& memory, std::vector<int> unit) {
  Shared s;
  s.unit = std::move(unit);
  s.end = map_memory(trace, memory, 0).end;
  for (std::size_t op = 0; op < s.unit.size(); ++op) {
    if (op > 0 && s.unit[op] != s.unit[op - 1]) ++s.stages;
    s.stage.push_back(s.stages);
  }
  ++s.stages;
  place_values(s, trace);
  s.reads.resize(s.unit.size());
  std::set<std::pair<int, int>> read;  // stage, producer
  for (std::size_t op = 0; op < s.unit.size(); ++op)
    for (const int producer : trace.operators[op].needs) {
      const auto p = static_cast<std::size_t>(producer);
      if (producer < 0 || s.value[p].count == 0 || s.unit[p] == s.unit[op]) continue;
      if (!read.emplace(s.stage[op], producer).second) continue;
      s.reads[op].push_back(producer);
      s.read += s.value[p].total();
    }
  return s;
}

}  // namespace edgenpu::lowering
