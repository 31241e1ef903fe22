#include "report/json.h"

#include "report/json_parts.h"

namespace edgenpu::report {

namespace {

constexpr int kSchema = 1;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json inputs(const result::Inputs& in) {
  return {{"hardware", in.hardware},
          {"model", in.model},
          {"quant", in.quant},
          {"phase", in.phase},
          {"context", in.context},
          {"prompt", in.prompt},
          {"batch", in.batch},
          {"kv_format", in.kv_format},
          {"detail", in.detail},
          {"repeat", in.repeat},
          {"trace_file", text_or_null(in.trace_file)},
          {"resolved_hardware", in.resolved_hardware ? to_json(*in.resolved_hardware) : Json()},
          {"hardware_hash", text_or_null(in.hardware_hash)},
          {"trace_hash", text_or_null(in.trace_hash)}};
}

Json buckets(const std::vector<result::Engine>& engines) {
  Json j = Json::object();
  for (const result::Engine& e : engines) {
    Json& engine = j[e.name];
    for (std::size_t i = 0; i < e.seconds.size(); ++i)
      engine[activity::kBucketNames[i]] = number(e.seconds[i], e.name + "." + activity::kBucketNames[i]);
  }
  return j;
}

Json counts(const std::vector<result::NamedCount>& counts) {
  Json j = Json::object();
  for (const result::NamedCount& c : counts) j[c.name] = c.value;
  return j;
}

// No components: energy was not modelled.
Json energies(const std::vector<result::NamedEnergy>& energies) {
  if (energies.empty()) return Json();
  Json j = Json::object();
  for (const result::NamedEnergy& e : energies) j[e.component] = number(e.joules, e.component);
  return j;
}

Json operators(const result::StepResult& r) {
  Json list = Json::array();
  for (const result::OperatorResult& op : r.operators) {
    list.push_back({{"name", op.name},
                    {"kind", op.kind},
                    {"count", op.count},
                    {"time_s", number(op.time_s, op.name + ".time_s")},
                    {"dram_B", op.dram_B},
                    {"macs", op.macs},
                    {"energy_J", number(op.energy_J, op.name + ".energy_J")},
                    {"losses_s", losses(op.losses_s, r.losses())},
                    {"counts", counts(op.counts)}});
    if (!op.runs_on.empty()) list.back()["runs_on"] = op.runs_on;
  }
  return list;
}

Json checks(const std::vector<result::Check>& checks) {
  Json list = Json::array();
  for (const result::Check& c : checks)
    list.push_back({{"name", c.name}, {"ok", c.ok}, {"detail", c.detail}});
  return list;
}

Json simulation(const result::Simulation& s, bool reproducible) {
  const auto measured = [reproducible](Json value) { return reproducible ? Json() : std::move(value); };
  return {{"cpu_s", measured(number(s.cpu_s, "cpu_s"))},
          {"wall_s", measured(number(s.wall_s, "wall_s"))},
          {"peak_rss_B", measured(s.peak_rss_B)},
          {"events", s.events},
          {"simulated_fraction", number(s.simulated_fraction, "simulated_fraction")},
          {"error_estimate", number(s.error_estimate, "error_estimate")}};
}

}  // namespace

std::string json(const result::StepResult& r, const Tool& tool, bool reproducible) {
  Json j = Json::object();
  j["schema"] = kSchema;
  j["tool"] = {{"version", tool.version}, {"commit", tool.commit}};
  j["inputs"] = inputs(r.inputs);
  j["metrics"] = to_json(r.metrics);
  j["roofline"] = to_json(r.roofline);
  j["losses_s"] = losses(r.losses_s, r.losses());
  j["time_s"] = {{"total", number(r.total_s, "total")}, {"buckets", buckets(r.engines)}};
  j["counts"] = counts(r.counts);
  j["energy_J"] = energies(r.energy_J);
  if (!r.energy_split.empty()) j["energy_split"] = split(r);
  j["power_scope"] = r.power_scope;
  j["operators"] = operators(r);
  j["checks"] = checks(r.checks);
  j["notes"] = r.notes;
  j["simulation"] = simulation(r.simulation, reproducible);
  // Bytes that are not UTF-8 (a file name) are replaced rather than refused.
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace edgenpu::report
