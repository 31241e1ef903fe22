#include "sweep/columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <optional>

#include "config/units.h"

namespace edgenpu::sweep {

using config::Dimension;
using config::Measure;
using config::Value;
using result::Cell;

namespace {

std::optional<Measure> measure(const Value& scalar) {
  std::string why;
  return config::parse_measure(scalar.text(), why);
}

void append(std::string& text, const char* unit, int exponent) {
  if (exponent == 0) return;
  text += fmt::format("_{}{}", unit, exponent == 1 ? "" : std::to_string(exponent));
}

// "_J_per_B_m"; a power and a frequency have names of their own.
std::string suffix(Dimension d) {
  if (d == Dimension{-1}) return "_Hz";
  std::string numerator, denominator;
  if (d.energy == 1 && d.time == -1) {
    numerator = "_W";
    d.energy = d.time = 0;
  }
  const std::pair<const char*, int> units[] = {{"J", d.energy},    {"B", d.data},    {"s", d.time},
                                               {"m", d.length},    {"V", d.voltage}, {"C", d.temperature},
                                               {"cycles", d.cycle}};
  for (const auto& [unit, exponent] : units)
    append(exponent > 0 ? numerator : denominator, unit, std::abs(exponent));
  return denominator.empty() ? numerator : numerator + "_per" + denominator;
}

Cell number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  // A quantity such as 18 ns is not a whole number of seconds; 512 KiB is one of bytes, whatever the factor's
  // rounding.
  const double rounded = std::round(value);
  if (std::abs(value) < kExact && std::abs(value - rounded) <= 1e-12 * std::abs(value))
    return static_cast<std::int64_t>(rounded);
  return value;
}

bool skipped(const std::string& key) {
  return key == "source" || key == "note" || key == "confidence";
}

void visit(const Value& node, const std::string& path,
           const std::function<void(const std::string&, const Value&)>& scalar) {
  if (!node.is_map()) return scalar(path, node);
  if (const Value* ranged = node.find("value")) return scalar(path, *ranged);
  for (const Value::Entry& e : node.entries())
    if (!skipped(e.key)) visit(e.value, path.empty() ? e.key : path + "." + e.key, scalar);
}

}  // namespace

NamedCell named_cell(const std::string& path, const Value& value) {
  std::string name = path;
  std::replace(name.begin(), name.end(), '.', '_');
  const Value* scalar = &value;
  if (value.is_map() && value.find("value")) scalar = value.find("value");
  if (!scalar->is_scalar()) return {name, config::canonical_text(*scalar)};
  if (scalar->quoted()) return {name, scalar->text()};
  const auto m = measure(*scalar);
  if (!m) return {name, scalar->text()};
  return {name + suffix(m->dimension), number(m->value)};
}

std::vector<NamedCell> named_cells(const Value& tree) {
  std::vector<NamedCell> cells;
  visit(tree, "", [&](const std::string& path, const Value& v) { cells.push_back(named_cell(path, v)); });
  return cells;
}

std::vector<std::string> paths_of(const Value& tree) {
  std::vector<std::string> paths;
  const std::function<void(const Value&, const std::string&)> walk = [&](const Value& node,
                                                                         const std::string& path) {
    if (!path.empty()) paths.push_back(path);
    for (const Value::Entry& e : node.entries())
      if (!skipped(e.key)) walk(e.value, path.empty() ? e.key : path + "." + e.key);
  };
  walk(tree, "");
  return paths;
}

std::string normal_text(const Value& tree) {
  if (tree.is_scalar()) {
    const auto m = tree.quoted() ? std::nullopt : measure(tree);
    return m ? fmt::format("{}{}", m->value, suffix(m->dimension)) : tree.text();
  }
  std::vector<std::string> parts;
  for (const Value& item : tree.items()) parts.push_back(normal_text(item));
  for (const Value::Entry& e : tree.entries())
    if (!skipped(e.key)) parts.push_back(e.key + ":" + normal_text(e.value));
  if (tree.is_map()) std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += part + ";";
  return (tree.is_map() ? "{" : "[") + text + (tree.is_map() ? "}" : "]");
}

}  // namespace edgenpu::sweep
