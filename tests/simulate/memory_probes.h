// What a memory part is read for: patterns driven through its channels in every mode that it has.
#pragma once

#include <fmt/format.h>

#include "config/memory.h"
#include "hardware/memory/memory_bench.h"
#include "report/memory.h"
#include "support/leaves.h"

namespace edgenpu::test {

// The part with other values laid over it; "" where it does not take them.
inline std::string benched(const Value& part, const std::string& over, const std::string& pattern,
                           bool rows) {
  const Value tree = config::merge(part, config::parse_text(over, "variant"));
  Diagnostics out;
  const config::Memory memory = config::read_memory(tree, out);
  out.throw_if_any();
  hardware::BenchOptions options;
  options.detail = rows ? hardware::Detail::row : hardware::Detail::burst;
  options.request_bytes = 64;
  result::MemoryResult r = hardware::run_memory_bench(
      memory, [&] { return hardware::make_pattern(pattern, 1500, memory.capacity.count()); }, pattern,
      options);
  r.cpu_s = r.wall_s = 0;
  return report::json(r, {"", ""}) + fmt::format("{} {}", memory.confirmed, memory.reserve.count());
}

inline std::vector<Probe> memory_probes(const Value& part) {
  std::vector<Probe> probes;
  const auto add = [&](const std::string& over, const std::string& pattern, bool rows = false) {
    const Probe probe = [=](const Value& tree) { return benched(tree, over, pattern, rows); };
    if (ask(probe, part).seen) probes.push_back(probe);
  };
  add("{}", "rand64");
  add("{refresh: pb}", "seq_w10");
  add("{ranks: 2, mapping: 'rank,row,bank,bg,col'}", "rand64");
  add("{}", "sep_w10");
  add("{}", "streams4_off", true);
  add("{controller: {power_down_after: 20 CK}}", "gather4k");
  add("{controller: {self_refresh_after: 50 CK}}", "gather4k");
  // Dies of other densities.
  for (const char* capacity : {"256 MiB", "512 MiB", "1 GiB", "2 GiB", "4 GiB", "8 GiB"})
    for (const char* refresh : {"ab", "pb"})
      add(fmt::format("{{capacity: {}, refresh: {}}}", capacity, refresh), "seq_rd");
  return probes;
}

}  // namespace edgenpu::test
