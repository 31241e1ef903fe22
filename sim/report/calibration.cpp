#include "report/calibration.h"

#include <fmt/format.h>

#include "report/json_parts.h"
#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

namespace {

using result::CalibratedClass;
using result::CalibratedParameter;
using result::CalibratedRow;
using result::Calibration;
using result::ErrorPair;
using Align = TextTable::Align;

std::string share(double v) {
  return fmt::format("{:.1f} %", v * 100);
}

std::string classes_text(const Calibration& c) {
  TextTable t({{"class", Align::left},
               {"rows"},
               {"uncalibrated"},
               {"device held out"},
               {"model held out"},
               {"fitted"}});
  for (const CalibratedClass& k : c.classes)
    t.add({k.name, std::to_string(k.rows), share(k.uncalibrated), share(k.held_out_device),
           share(k.held_out_model), share(k.fitted)});
  return "Mean |error| of decode rates by class\n" + t.text() + "\n";
}

std::string parameters_text(const Calibration& c) {
  TextTable t({{"class", Align::left},
               {"parameter", Align::left},
               {"factor"},
               {"low"},
               {"high"},
               {"meaning", Align::left}});
  for (const CalibratedClass& k : c.classes) {
    if (k.parameters.empty()) t.add({k.name, "none: too few rows", "", "", "", ""});
    for (const CalibratedParameter& p : k.parameters)
      t.add({k.name, p.path, fmt::format("{:.3f}", p.factor), fmt::format("{:g}", p.low),
             fmt::format("{:g}", p.high), p.meaning});
  }
  return "Parameters: factors on the values in the descriptions\n" + t.text() + "\n";
}

std::string errors_text(const Calibration& c) {
  TextTable t({{"decode, tokens/s", Align::left},
               {"mean |error|"},
               {"median |error|"},
               {"mean, plausible"},
               {"median, plausible"}});
  const auto add = [&](const char* name, const ErrorPair& e, const ErrorPair& p) {
    t.add({name, share(e.mean), share(e.median), share(p.mean), share(p.median)});
  };
  const result::CalibrationErrors &a = c.all, &p = c.plausible;
  add("uncalibrated", a.uncalibrated, p.uncalibrated);
  add("device held out", a.held_out_device, p.held_out_device);
  add("model held out", a.held_out_model, p.held_out_model);
  add("both kinds of held out", a.held_out, p.held_out);
  add("fitted", a.fitted, p.fitted);
  std::string slow;
  for (const CalibratedRow& r : c.rows)
    if (r.implausibly_slow) slow += " " + r.id;
  return fmt::format("{} rows, {} of them plausible\n{}\nimplausibly slow as measured:{}\n", a.rows, p.rows,
                     t.text(), slow);
}

Json pair(const ErrorPair& e) {
  return {{"mape_mean", number(e.mean, "mean")}, {"mape_median", number(e.median, "median")}};
}

Json to_json(const CalibratedClass& k) {
  Json parameters = Json::array();
  for (const CalibratedParameter& p : k.parameters)
    parameters.push_back({{"path", p.path},
                          {"factor", number(p.factor, p.path)},
                          {"low", p.low},
                          {"high", p.high},
                          {"meaning", p.meaning}});
  return {{"name", k.name},
          {"rows", k.rows},
          {"parameters", parameters},
          {"uncalibrated", number(k.uncalibrated, k.name)},
          {"held_out_device", number(k.held_out_device, k.name)},
          {"held_out_model", number(k.held_out_model, k.name)},
          {"fitted", number(k.fitted, k.name)}};
}

Json to_json(const CalibratedRow& r) {
  return {{"id", r.id},
          {"class", r.device_class},
          {"platform", r.platform},
          {"model", r.model},
          {"pool", r.class_name},
          {"measured", number(r.measured, r.id)},
          {"uncalibrated", number(r.uncalibrated, r.id)},
          {"held_out_device", number(r.held_out_device, r.id)},
          {"held_out_model", number(r.held_out_model, r.id)},
          {"fitted", number(r.fitted, r.id)},
          {"implausibly_slow", r.implausibly_slow}};
}

Json to_json(const result::CalibrationErrors& e) {
  return {{"rows", e.rows},
          {"uncalibrated", pair(e.uncalibrated)},
          {"held_out_device", pair(e.held_out_device)},
          {"held_out_model", pair(e.held_out_model)},
          {"held_out", pair(e.held_out)},
          {"fitted", pair(e.fitted)}};
}

}  // namespace

std::string text(const Calibration& c) {
  return classes_text(c) + parameters_text(c) + errors_text(c);
}

std::string json(const Calibration& c, const Tool& tool) {
  Json classes = Json::array(), rows = Json::array();
  for (const CalibratedClass& k : c.classes) classes.push_back(to_json(k));
  for (const CalibratedRow& r : c.rows) rows.push_back(to_json(r));
  const Json document = {{"schema", 1},
                         {"tool", {{"version", tool.version}, {"commit", tool.commit}}},
                         {"measurements", c.measurements},
                         {"errors", to_json(c.all)},
                         {"errors_plausible", to_json(c.plausible)},
                         {"classes", classes},
                         {"rows", rows}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

result::Table table(const Calibration& c) {
  result::Table t{{"id", "class", "platform", "model", "pool", "measured", "uncalibrated", "held_out_device",
                   "held_out_model", "fitted", "implausibly_slow"},
                  {}};
  for (const CalibratedRow& r : c.rows)
    t.rows.push_back({r.id, r.device_class, r.platform, r.model, r.class_name, r.measured, r.uncalibrated,
                      r.held_out_device, r.held_out_model, r.fitted,
                      std::string(r.implausibly_slow ? "yes" : "no")});
  return t;
}

}  // namespace edgenpu::report
