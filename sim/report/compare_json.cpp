#include "report/compare.h"
#include "report/json_parts.h"

namespace edgenpu::report {

namespace {

using result::Comparison;
using result::ComparisonRow;

constexpr int kSchema = 1;

Json at_tdp(const ComparisonRow& r) {
  if (!r.at_tdp) return Json();
  return {{"tdp_W", number(r.at_tdp->tdp_W, "tdp_W")},
          {"J_per_token", number(r.at_tdp->J_per_token, "J_per_token")},
          {"tokens_per_J", number(r.at_tdp->tokens_per_J, "tokens_per_J")},
          {"edp_J_s", number(r.at_tdp->edp_J_s, "edp_J_s")}};
}

Json metrics(const ComparisonRow& r) {
  Json m = r.step ? to_json(r.step->metrics) : Json::object();
  m["dram_used_GBps"] = r.step ? Json(r.used_B_per_s * 1e-9) : Json();
  m["dram_peak_GBps"] = r.peak_B_per_s * 1e-9;
  m["at_tdp"] = at_tdp(r);
  return m;
}

Json published(const ComparisonRow& r) {
  Json j = Json::object();
  for (const char* metric : result::kPublishedMetrics)
    if (const auto it = r.published.find(metric); it != r.published.end())
      j[metric] = number(it->second.value, metric);
  return j;
}

Json verdicts(const ComparisonRow& r) {
  Json j = Json::object();
  for (const char* metric : result::kPublishedMetrics) {
    const auto it = r.published.find(metric);
    if (it == r.published.end()) continue;
    const result::Verdict& v = it->second.verdict;
    j[metric] = {{"kind", result::kVerdictNames[static_cast<std::size_t>(v.kind)]},
                 {"factor", number(v.factor, metric)},
                 {"simulated", number(it->second.simulated, metric)},
                 {"bound", number(it->second.bound, metric)},
                 {"detail", v.detail}};
  }
  return j;
}

Json row(const ComparisonRow& r, const Comparison& c) {
  Json j = {{"platform", r.platform},
            {"hardware", r.hardware},
            {"class", r.device_class},
            {"model", r.model},
            {"quant", r.quant},
            {"context", r.context},
            {"power_scope", r.step ? r.step->power_scope : c.power_scope}};
  j["infeasible"] = r.infeasible.empty() ? Json() : Json(r.infeasible);
  j["metrics"] = metrics(r);
  j["roofline"] = r.step ? to_json(r.step->roofline) : Json();
  if (r.step && !r.step->energy_split.empty()) j["energy_split"] = split(*r.step);
  j["losses_s"] = r.step ? losses(r.step->losses_s, r.step->losses()) : Json();
  j["published"] = published(r);
  j["verdict"] = verdicts(r);
  if (c.normalise != "none") {
    j["normalised"] = {{"by", c.normalise},
                       {"unit", c.normalise == "bandwidth" ? "tokens/s per GB/s" : "tokens/s per W"},
                       {"simulated", number(r.normalised, "normalised")},
                       {"published", number(r.published_normalised, "normalised")}};
  }
  if (r.uncertainty) j["uncertainty"] = to_json(*r.uncertainty);
  Json failed = Json::array();
  if (r.step)
    for (const result::Check& check : r.step->checks)
      if (!check.ok) failed.push_back(check.name + ": " + check.detail);
  j["failed_checks"] = failed;
  j["notes"] = r.step ? Json(r.step->notes) : Json::array();
  return j;
}

}  // namespace

std::string json(const Comparison& c, const Tool& tool) {
  Json j = Json::object();
  j["schema"] = kSchema;
  j["tool"] = {{"version", tool.version}, {"commit", tool.commit}};
  j["published_source"] = c.source.empty() ? Json() : Json(c.source);
  j["power_scope"] = c.power_scope;
  j["normalise"] = c.normalise;
  j["rows"] = Json::array();
  for (const ComparisonRow& r : c.rows) j["rows"].push_back(row(r, c));
  j["npu_to_gpu"] = Json::object();
  for (const result::Ratio& r : c.npu_to_gpu)
    j["npu_to_gpu"][r.metric] = {{"simulated", number(r.simulated, r.metric)},
                                 {"published", number(r.published, r.metric)}};
  if (!c.edp_odds.empty()) {
    j["edp_odds"] = Json::array();
    for (const result::EdpOdds& o : c.edp_odds)
      j["edp_odds"].push_back({{"platform", c.rows[o.a].platform},
                               {"against", c.rows[o.b].platform},
                               {"probability_of_smaller_edp", number(o.probability, "probability")}});
  }
  j["median_share_of_peak"] = Json::object();
  for (const auto& [device_class, share] : c.median_share)
    j["median_share_of_peak"][device_class] = number(share, device_class);
  j["notes"] = c.notes;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace edgenpu::report
