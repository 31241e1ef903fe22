#include "report/json_parts.h"
#include "report/memory.h"

namespace edgenpu::report {

namespace {

constexpr int kSchema = 1;

Json commands(const result::MemoryCommands& c) {
  return {{"act", c.act}, {"pre", c.pre},       {"rd", c.rd},
          {"wr", c.wr},   {"ref_ab", c.ref_ab}, {"ref_pb", c.ref_pb}};
}

Json rows(const result::MemoryRows& r) {
  return {{"hits", r.hits}, {"misses", r.misses}, {"conflicts", r.conflicts}};
}

// Nothing was read (or written): there is no latency, not one of 0.
Json latency(const result::MemoryLatency& l) {
  if (l.count == 0) return Json();
  return {{"count", l.count},
          {"mean", number(l.mean, "mean")},
          {"p50", number(l.p50, "p50")},
          {"p99", number(l.p99, "p99")},
          {"max", number(l.max, "max")},
          {"queue_mean", number(l.queue_mean, "queue_mean")},
          {"service_mean", number(l.service_mean, "service_mean")}};
}

Json channels(const std::vector<result::MemoryChannel>& all) {
  Json list = Json::array();
  for (const result::MemoryChannel& c : all)
    list.push_back({{"requests", c.requests},
                    {"bytes", c.bytes},
                    {"active_ns", number(c.active_ns, "active_ns")},
                    {"utilisation_active", number(c.utilisation_active, "utilisation_active")},
                    {"utilisation_run", number(c.utilisation_run, "utilisation_run")},
                    {"row_hits", c.rows.hits},
                    {"row_misses", c.rows.misses},
                    {"row_conflicts", c.rows.conflicts},
                    {"commands", commands(c.commands)}});
  return list;
}

Json energy(const std::vector<result::MemoryEnergyPart>& parts) {
  if (parts.empty()) return Json();
  Json j = Json::object();
  for (const result::MemoryEnergyPart& p : parts) j[p.component] = number(p.joules, p.component);
  return j;
}

Json energy_range(const result::MemoryResult& r) {
  if (!r.energy_pJ_per_bit) return Json();
  return {{"low", number(r.energy_pJ_per_bit_low, "energy_pJ_per_bit low")},
          {"high", number(r.energy_pJ_per_bit_high, "energy_pJ_per_bit high")}};
}

Json histogram(const std::vector<result::LatencyBin>& bins) {
  Json list = Json::array();
  for (const result::LatencyBin& b : bins)
    list.push_back({{"up_to_ns", number(b.up_to_ns, "up_to_ns")}, {"requests", b.requests}});
  return list;
}

Json power_states(const result::MemoryResult& r) {
  Json j = Json::object();
  for (const auto& state : r.power_states_s) j[state.first] = number(state.second, state.first);
  return j;
}

Json timing_check(const result::MemoryResult& r) {
  if (!r.timing_violations) return Json();
  return {{"violations", *r.timing_violations}, {"messages", r.timing_messages}};
}

}  // namespace

std::string json(const result::MemoryResult& r, const Tool& tool) {
  const double cpu = r.cpu_s;
  Json j = {
      {"schema", kSchema},
      {"tool", {{"version", tool.version}, {"commit", tool.commit}}},
      {"memory", r.memory},
      {"confirmed", r.confirmed},
      {"traffic", r.traffic},
      {"mapping", r.mapping},
      {"refresh", r.refresh},
      {"detail", r.detail},
      {"window", r.window},
      {"requests", r.requests},
      {"bytes", r.bytes},
      {"cycles", r.cycles},
      {"time_ns", number(r.time_ns, "time_ns")},
      {"achieved_GBps", number(r.achieved_GBps, "achieved_GBps")},
      {"peak_GBps", number(r.peak_GBps, "peak_GBps")},
      {"utilisation", number(r.utilisation, "utilisation")},
      {"read_latency_ns", latency(r.read_latency_ns)},
      {"write_latency_ns", latency(r.write_latency_ns)},
      {"read_latency_histogram", histogram(r.read_histogram)},
      {"row_hit_rate", number(r.row_hit_rate, "row_hit_rate")},
      {"rows", rows(r.rows)},
      {"commands", commands(r.commands)},
      {"power_states_rank_s", power_states(r)},
      {"energy_pJ_per_bit", number(r.energy_pJ_per_bit, "energy_pJ_per_bit")},
      {"energy_pJ_per_bit_range", energy_range(r)},
      {"energy_J", energy(r.energy)},
      {"channels", channels(r.channels)},
      {"timing_check", timing_check(r)},
      {"notes", r.notes},
      {"simulation",
       {{"cpu_s", number(cpu, "cpu_s")},
        {"wall_s", number(r.wall_s, "wall_s")},
        {"dram_commands", r.dram_commands},
        {"requests_per_cpu_s",
         cpu > 0 ? number(static_cast<double>(r.requests) / cpu, "requests_per_cpu_s") : Json()},
        {"simulated_GB_per_cpu_s",
         cpu > 0 ? number(static_cast<double>(r.bytes) * 1e-9 / cpu, "simulated_GB_per_cpu_s") : Json()}}}};
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace edgenpu::report
