#include <fmt/format.h>

#include "report/memory.h"
#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

namespace {

std::string heading(const result::MemoryResult& r) {
  return fmt::format("{}{}, {}, {} detail\n{} refresh, mapping {}, window {}\n\n", r.memory,
                     r.confirmed ? "" : " (unconfirmed timings)", r.traffic, r.detail, r.refresh, r.mapping,
                     r.window);
}

std::string latency_line(const char* name, const result::MemoryLatency& l) {
  if (l.count == 0) return "";
  return fmt::format(
      "  {:<14} mean {:.1f} ns (queue {:.1f} + service {:.1f}), p50 {:.1f}, p99 {:.1f}, max {:.1f}\n", name,
      l.mean, l.queue_mean, l.service_mean, l.p50, l.p99, l.max);
}

std::string channel_table(const result::MemoryResult& r) {
  TextTable table({{"channel", TextTable::Align::right},
                   {"requests", TextTable::Align::right},
                   {"of peak, active", TextTable::Align::right},
                   {"of peak, run", TextTable::Align::right},
                   {"hits", TextTable::Align::right},
                   {"misses", TextTable::Align::right},
                   {"conflicts", TextTable::Align::right},
                   {"ACT", TextTable::Align::right},
                   {"PRE", TextTable::Align::right},
                   {"REF", TextTable::Align::right}});
  for (std::size_t i = 0; i < r.channels.size(); ++i) {
    const result::MemoryChannel& c = r.channels[i];
    table.add({std::to_string(i), std::to_string(c.requests), percent(c.utilisation_active),
               percent(c.utilisation_run), std::to_string(c.rows.hits), std::to_string(c.rows.misses),
               std::to_string(c.rows.conflicts), std::to_string(c.commands.act),
               std::to_string(c.commands.pre), std::to_string(c.commands.ref_ab + c.commands.ref_pb)});
  }
  return table.text();
}

std::string histogram(const result::MemoryResult& r) {
  if (r.read_histogram.empty()) return "";
  std::string out = "Read latency\n";
  for (const result::LatencyBin& b : r.read_histogram) {
    const double share = static_cast<double>(b.requests) / static_cast<double>(r.read_latency_ns.count);
    out += fmt::format("  up to {:>9.1f} ns {:>10} {:>8}  {}\n", b.up_to_ns, b.requests, percent(share),
                       bar(share, 40));
  }
  return out + "\n";
}

std::string energy(const result::MemoryResult& r) {
  if (!r.energy_pJ_per_bit) return "";
  std::string out = fmt::format("Energy {:.2f} pJ/bit ({:.2f} to {:.2f} over the ranges of the prices)\n",
                                *r.energy_pJ_per_bit, r.energy_pJ_per_bit_low, r.energy_pJ_per_bit_high);
  double total = 0;
  for (const result::MemoryEnergyPart& p : r.energy) total += p.joules;
  for (const result::MemoryEnergyPart& p : r.energy)
    out += fmt::format("  {:<14} {:>10} {:>8}  {} to {}\n", p.component, with_prefix(p.joules, "J"),
                       percent(total > 0 ? p.joules / total : 0), with_prefix(p.low, "J"),
                       with_prefix(p.high, "J"));
  out += "Power states (rank time)\n";
  for (const auto& s : r.power_states_s)
    out += fmt::format("  {:<18} {:>10}\n", s.first, with_prefix(s.second, "s"));
  return out + "\n";
}

}  // namespace

std::string text(const result::MemoryResult& r) {
  std::string out = heading(r);
  out += fmt::format("  {:.3f} GB/s of {:.3f} GB/s, {} of peak; {} requests, {} bytes in {} clocks ({})\n",
                     r.achieved_GBps, r.peak_GBps, percent(r.utilisation), r.requests, r.bytes, r.cycles,
                     with_prefix(r.time_ns * 1e-9, "s"));
  out += latency_line("read latency", r.read_latency_ns) + latency_line("write latency", r.write_latency_ns);
  out += fmt::format("  row hit rate   {}\n\n", percent(r.row_hit_rate));
  out += channel_table(r) + "\n" + histogram(r) + energy(r);
  if (r.timing_violations) out += fmt::format("Timing check: {} violations\n", *r.timing_violations);
  for (const std::string& m : r.timing_messages) out += "  " + m + "\n";
  for (const std::string& note : r.notes) out += "Note: " + note + "\n";
  if (r.cpu_s > 0)
    out += fmt::format("Simulated in {:.3f} s of CPU time: {:.2f} million requests/s, {:.2f} GB/s\n", r.cpu_s,
                       static_cast<double>(r.requests) * 1e-6 / r.cpu_s,
                       static_cast<double>(r.bytes) * 1e-9 / r.cpu_s);
  return out;
}

}  // namespace edgenpu::report
