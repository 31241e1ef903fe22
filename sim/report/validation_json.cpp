#include "report/json_parts.h"
#include "report/validation.h"

namespace edgenpu::report {

namespace {

using result::ErrorSummary;
using result::Validation;
using result::ValidationRow;

constexpr int kSchema = 1;

Json to_json(const ValidationRow& v) {
  return {{"id", v.id},
          {"device", v.device},
          {"class", v.device_class},
          {"metric", v.metric},
          {"measured", number(v.measured, v.id)},
          {"simulated", number(v.simulated, v.id)},
          {"error", number(v.error(), v.id)},
          {"roof", number(v.roof, v.id)},
          {"published_above_roof", v.impossible()},
          {"mapped", v.mapped},
          {"reason", v.reason.empty() ? Json() : Json(v.reason)},
          {"hardware", v.hardware},
          {"platform", v.platform},
          {"runtime", v.runtime},
          {"model", v.model},
          {"quant", v.quant},
          {"context", v.context},
          {"prompt", v.prompt},
          {"confidence", v.confidence},
          {"source", v.source},
          {"notes", v.notes}};
}

Json to_json(const ErrorSummary& s) {
  return {{"n", s.given},
          {"mapped", s.mapped},
          {"compared", s.compared},
          {"mape_mean", number(s.mean, "mape_mean")},
          {"mape_median", number(s.median, "mape_median")},
          {"bias", number(s.bias, "bias")},
          {"worst", number(s.worst, "worst")},
          {"worst_id", s.worst_id}};
}

}  // namespace

std::string json(const Validation& all, const Tool& tool) {
  Json rows = Json::array();
  for (const ValidationRow& v : all.rows) rows.push_back(to_json(v));
  Json summary = Json::object(), groups = Json::object();
  for (const ErrorSummary& s : all.summaries) {
    if (s.group == "all")
      summary[s.metric] = to_json(s);
    else
      groups[s.group][s.name][s.metric] = to_json(s);
  }
  const Json document = {{"schema", kSchema},
                         {"tool", {{"version", tool.version}, {"commit", tool.commit}}},
                         {"measurements", all.file},
                         {"rows", rows},
                         {"summary", summary},
                         {"groups", groups},
                         {"coverage", {{"rows", all.file_rows}, {"mapped", all.mapped_rows}}},
                         {"simulated_above_roof", all.above_roof},
                         {"notes", all.notes},
                         {"simulation", {{"cpu_s", all.cpu_s}, {"wall_s", all.wall_s}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

result::Table table(const Validation& all) {
  const auto maybe = [](const std::optional<double>& v) { return v ? result::Cell(*v) : result::Cell(); };
  result::Table t{{"id", "device", "class", "metric", "measured", "simulated", "error", "roof", "mapped",
                   "reason", "platform", "runtime", "model", "quant", "context", "prompt", "confidence"},
                  {}};
  for (const ValidationRow& v : all.rows)
    t.rows.push_back({v.id, v.device, v.device_class, v.metric, v.measured, maybe(v.simulated),
                      maybe(v.error()), maybe(v.roof), std::string(v.mapped ? "yes" : "no"), v.reason,
                      v.platform, v.runtime, v.model, v.quant, static_cast<std::int64_t>(v.context),
                      static_cast<std::int64_t>(v.prompt), v.confidence});
  return t;
}

}  // namespace edgenpu::report
