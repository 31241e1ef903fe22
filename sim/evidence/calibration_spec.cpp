#include "evidence/calibration_spec.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "config/reader.h"

namespace edgenpu::evidence {

namespace {

using config::MapReader;
using config::Provenance;
using config::Value;

constexpr config::RealRange kFactor{1e-3, 1e3};

std::regex expression(MapReader& r, const std::string& key, std::string& text) {
  text = r.text(key);
  try {
    return std::regex(text);
  } catch (const std::regex_error& e) {
    r.error(key, fmt::format("'{}' is no regular expression: {}", text, e.what()));
    return std::regex();
  }
}

std::vector<double> factors_of(MapReader& r, Diagnostics& out) {
  std::vector<double> factors;
  const Value* list = r.list("factors");
  if (!list) return factors;
  for (const Value& item : list->items()) {
    Value one = Value::empty_map(item.position());
    one.set("factor", item);
    MapReader number(one, out, "'factors'", Provenance::optional);
    factors.push_back(number.real("factor", kFactor));
  }
  if (!std::is_sorted(factors.begin(), factors.end()) ||
      std::find(factors.begin(), factors.end(), 1.0) == factors.end())
    r.error("factors", "factors ascend, and 1 is among them");
  return factors;
}

FactorSpec read_factor(const Value& map, bool found, Diagnostics& out) {
  MapReader r(map, out, "the parameter", Provenance::optional);
  FactorSpec f;
  f.path = r.text("path");
  if (r.has("path") && f.path.empty()) r.error("path", "is empty");
  f.meaning = r.text("meaning", "");
  r.text("source", "");
  if (found) {
    f.factors = {r.real("factor", kFactor)};
    const double low = r.real("low", kFactor, f.factors[0]), high = r.real("high", kFactor, f.factors[0]);
    if (f.factors[0] < low || f.factors[0] > high) r.error("factor", "lies outside low and high");
  } else {
    f.factors = factors_of(r, out);
  }
  r.finish();
  return f;
}

ClassSpec read_class(const Value& map, bool found, Diagnostics& out) {
  MapReader r(map, out, "the class", Provenance::optional);
  ClassSpec c;
  c.name = r.text("name");
  c.platform = expression(r, "platform", c.platform_text);
  c.runtime = expression(r, "runtime", c.runtime_text);
  r.accept("rows");
  if (r.has("rows")) r.integer("rows", {0, 1'000'000'000});
  if (const Value* list = r.list("parameters"))
    for (const Value& item : list->items()) c.parameters.push_back(read_factor(item, found, out));
  r.finish();
  return c;
}

std::vector<ClassSpec> read(const std::string& path, const char* kind, bool found) {
  const Value document = config::parse_file(path);
  Diagnostics out;
  MapReader r(document, out, "the calibration", Provenance::optional);
  r.choice("kind", {kind});
  for (const char* key : {"source", "measurements", "errors"}) r.text(key, "");
  std::vector<ClassSpec> classes;
  std::map<std::string, Position> names;
  if (const Value* list = r.list("classes"))
    for (const Value& item : list->items()) {
      classes.push_back(read_class(item, found, out));
      const auto [before, fresh] = names.emplace(classes.back().name, item.position());
      if (!fresh)
        out.add(item.position(),
                "the class '" + before->first + "' is named before, at " + to_string(before->second));
    }
  r.finish();
  out.throw_if_any();
  return classes;
}

}  // namespace

std::vector<ClassSpec> read_calibration(const std::string& path) {
  return read(path, "calibration", false);
}

std::vector<ClassSpec> read_calibrated(const std::string& path) {
  return read(path, "calibrated", true);
}

const ClassSpec* class_of(const std::vector<ClassSpec>& classes, const std::string& platform,
                          const std::string& runtime) {
  for (const ClassSpec& c : classes)
    if (std::regex_search(platform, c.platform) && std::regex_search(runtime, c.runtime)) return &c;
  return nullptr;
}

config::Override scaled(const Value& tree, const std::string& path, double factor) {
  const Value* value = config::find_path(tree, path);
  if (!value || !value->is_scalar())
    throw InputError(tree.position(), "the hardware has no number at '" + path + "'");
  const std::string& text = value->text();
  std::size_t used = 0;
  double number = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    throw InputError(value->position(), "'" + text + "' at '" + path + "' is no number");
  }
  const std::string unit = text.substr(used);
  double product = number * factor;
  const bool whole = text.find('.') == std::string::npos &&
                     (unit.empty() || unit == " B" || unit == " KiB" || unit == " cycles");
  if (whole && unit == " KiB")
    return {path,
            Value::scalar(fmt::format("{} B", std::llround(product * 1024 / 64) * 64), value->position())};
  if (whole) product = std::max(1.0, std::round(product));
  return {path, Value::scalar(fmt::format("{:.6g}{}", product, unit), value->position())};
}

}  // namespace edgenpu::evidence
