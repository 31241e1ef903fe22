#include "sweep/range.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace edgenpu::sweep {

using config::MapReader;
using config::Value;

namespace {

// "1.5 GHz" -> 1.5 and "GHz".
struct Written {
  double number = 0;
  std::string unit;
  bool whole = false;
};

std::optional<Written> written(const Value& scalar) {
  std::string why;
  if (!config::parse_measure(scalar.text(), why)) return std::nullopt;
  const std::string& text = scalar.text();
  std::size_t end = 0;
  Written w;
  w.number = std::stod(text, &end);
  const std::size_t unit = text.find_first_not_of(" \t", end);
  if (unit != std::string::npos) w.unit = text.substr(unit);
  w.whole = text.find_first_of(".eE") >= end && w.number == std::floor(w.number);
  return w;
}

// A number of the range in the unit of `from`.
double in_unit(const Value& scalar, const std::string& unit, const std::string& what, Diagnostics& out) {
  std::string why;
  const auto measure = config::parse_measure(scalar.text(), why);
  const auto one = config::parse_measure("1 " + unit, why);
  if (measure && one && measure->dimension == one->dimension) return measure->value / one->value;
  out.add(scalar.position(),
          fmt::format("'{}' must be a number {}, found {}", what,
                      unit.empty() ? "without a unit" : "in a unit like " + unit, config::describe(scalar)));
  return 0;
}

}  // namespace

std::optional<Range> Range::read(const std::string& path, MapReader& form, Diagnostics& out) {
  Range r;
  const Value* from = form.value().find("from");
  const Value* to = form.value().find("to");
  for (const char* key : {"from", "to", "step"}) form.accept(key);
  r.log_ = form.choice("scale", {"linear", "log"}, 0) == 1;
  r.where_ = form.value().position();
  if (!from || !to) {
    out.add(r.where_, fmt::format("'{}': a range needs 'from' and 'to'", path));
    return std::nullopt;
  }
  const auto start = written(*from);
  if (!start) {
    out.add(from->position(), fmt::format("'from' must be a number, found {}", config::describe(*from)));
    return std::nullopt;
  }
  r.from_ = start->number;
  r.unit_ = start->unit;
  r.to_ = in_unit(*to, r.unit_, "to", out);
  const auto end = written(*to);
  r.whole_ = start->whole && end && end->whole && r.unit_.empty();
  if (const Value* step = form.value().find("step")) {
    r.step_ = in_unit(*step, r.unit_, "step", out);
    if (r.step_ <= 0) out.add(step->position(), "'step' must be above 0");
    if (r.whole_ && r.step_ != std::floor(r.step_)) r.whole_ = false;
  }
  if (!(r.from_ < r.to_)) out.add(to->position(), "'to' must be above 'from'");
  if (r.log_ && r.from_ <= 0) out.add(from->position(), "a range in even ratios must start above 0");
  return r;
}

Value Range::value(double number) const {
  const double n = whole_ ? std::round(number) : number;
  // Ten digits: enough for any quantity, few enough that 0.1 + 0.2 is 0.3.
  const std::string text = fmt::format("{:.10g}", n);
  return Value::scalar(unit_.empty() ? text : text + " " + unit_, where_);
}

Value Range::at(double share) const {
  double n = log_ ? from_ * std::pow(to_ / from_, share) : from_ + (to_ - from_) * share;
  if (step_ > 0) n = from_ + std::round((n - from_) / step_) * step_;
  return value(std::clamp(n, from_, to_));
}

double Range::count() const {
  // Rounded ends may add one value to the steps between them.
  if (step_ > 0) return std::floor((to_ - from_) / step_ + 1e-9) + 2;
  return whole_ ? to_ - from_ + 1 : std::numeric_limits<double>::infinity();
}

std::vector<Value> Range::every_step() const {
  std::vector<Value> values;
  // The last value may miss `to` by the rounding of the sum.
  const auto steps = static_cast<std::int64_t>(std::floor((to_ - from_) / step_ * (1 + 1e-12)));
  for (std::int64_t i = 0; i <= steps; ++i) values.push_back(value(from_ + static_cast<double>(i) * step_));
  return values;
}

}  // namespace edgenpu::sweep
