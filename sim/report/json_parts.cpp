#include "report/json_parts.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "config/value.h"

namespace edgenpu::report {

namespace {

Json scalar(const config::Value& value) {
  const std::string& t = value.text();
  if (value.quoted()) return t;
  if (t == "true") return true;
  if (t == "false") return false;
  const char* end = t.data() + t.size();
  std::int64_t whole = 0;
  if (const auto r = std::from_chars(t.data(), end, whole); r.ec == std::errc() && r.ptr == end) return whole;
  double real = 0;
  if (const auto r = std::from_chars(t.data(), end, real);
      r.ec == std::errc() && r.ptr == end && std::isfinite(real))
    return real;
  return t;
}

}  // namespace

Json number(double value, const std::string& what) {
  if (!std::isfinite(value)) throw InternalError("'" + what + "' of the result is not a finite number");
  return value;
}

Json number(const std::optional<double>& value, const std::string& what) {
  return value ? number(*value, what) : Json();
}

Json to_json(const config::Value& value) {
  switch (value.kind()) {
    case config::Value::Kind::null:
      return Json();
    case config::Value::Kind::scalar:
      return scalar(value);
    case config::Value::Kind::list: {
      Json list = Json::array();
      for (const config::Value& item : value.items()) list.push_back(to_json(item));
      return list;
    }
    case config::Value::Kind::map:
      break;
  }
  Json map = Json::object();
  for (const config::Value::Entry& e : value.entries()) map[e.key] = to_json(e.value);
  return map;
}

Json to_json(const result::Metrics& m) {
  Json j = Json::object();
  const auto put = [&](const char* key, const auto& value) { j[key] = number(value, key); };
  put("tokens_per_s", m.tokens_per_s);
  put("ms_per_token", m.ms_per_token);
  put("ttft_ms", m.ttft_ms);
  put("energy_J_per_token", m.energy_J_per_token);
  put("tokens_per_J", m.tokens_per_J);
  put("power_W", m.power_W);
  put("edp_J_s", m.edp_J_s);
  j["dram_read_B"] = m.dram_read_B;
  j["dram_write_B"] = m.dram_write_B;
  j["dram_transferred_B"] = m.dram_transferred_B;
  j["dram_refetched_B"] = m.dram_refetched_B;
  put("dram_utilisation", m.dram_utilisation);
  put("matrix_utilisation", m.matrix_utilisation);
  put("area_mm2", m.area_mm2);
  return j;
}

Json to_json(const result::Roofline& r) {
  Json j = Json::object();
  const auto put = [&](const char* key, const auto& value) { j[key] = number(value, key); };
  put("memory_tokens_per_s", r.memory_tokens_per_s);
  put("memory_less_refresh_tokens_per_s", r.memory_less_refresh_tokens_per_s);
  put("memory_less_refresh_and_row_misses_tokens_per_s", r.memory_less_refresh_and_row_misses_tokens_per_s);
  put("compute_tokens_per_s", r.compute_tokens_per_s);
  put("fraction_of_roof", r.fraction_of_roof);
  j["roof"] = r.roof;
  j["compute_roof_from_batch"] = r.compute_roof_from_batch ? Json(*r.compute_roof_from_batch) : Json(nullptr);
  return j;
}

Json losses(const result::Losses& losses, std::size_t count) {
  Json j = Json::object();
  for (std::size_t i = 0; i < count; ++i)
    j[activity::kLossNames[i]] = number(losses[i], activity::kLossNames[i]);
  return j;
}

Json to_json(const result::Uncertainty& u) {
  Json j = Json::object();
  j["draws"] = u.draws;
  j["hardware_draws"] = u.hardware_draws;
  j["rejected"] = u.rejected;
  j["seed"] = u.seed;
  j["metrics"] = Json::object();
  for (const result::Percentiles& p : u.metrics)
    j["metrics"][p.name] = {{"nominal", number(p.nominal, p.name)},
                            {"p5", number(p.p5, p.name)},
                            {"p50", number(p.p50, p.name)},
                            {"p95", number(p.p95, p.name)}};
  j["hardware_share_of_variance"] = {{"energy_J_per_token", number(u.hardware_energy_share, "share")},
                                     {"edp_J_s", number(u.hardware_edp_share, "share")}};
  j["inputs"] = Json::array();
  for (const result::InputEffect& i : u.inputs)
    j["inputs"].push_back({{"path", i.path},
                           {"as_described", i.text},
                           {"source", i.source},
                           {"share_of_variance",
                            {{"energy_J_per_token", number(i.energy_share, i.path)},
                             {"edp_J_s", number(i.edp_share, i.path)}}}});
  return j;
}

Json split(const result::StepResult& step) {
  Json j = Json::object();
  for (const auto& [use, share] : step.energy_split) j[use] = number(share, use);
  return j;
}

}  // namespace edgenpu::report
