#include "config/uncertain.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "config/reader.h"
#include "config/units.h"

namespace edgenpu::config {

namespace {

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

bool is_guess(const std::string& source) {
  return starts_with(source, "assumed") || starts_with(source, "calibrated");
}

std::optional<Measure> measure_of(const Value* value) {
  if (!value || !value->is_scalar()) return {};
  std::string why;
  return parse_measure(value->text(), why);
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return x >= 4 && std::frexp(x, &exponent) == 0.5;
}

// The shares of probability for half, the same and double.
double stepped(double value, double quantile) {
  return quantile < 0.25 ? value / 2 : quantile < 0.75 ? value : value * 2;
}

double between(double from, double to, double share) {
  return from > 0 ? from * std::pow(to / from, share) : from + (to - from) * share;
}

}  // namespace

std::string Uncertain::short_name() const {
  std::string name;
  const std::string path = paths.front();
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string key = path.substr(start, dot - start);
    start = dot + 1;
    if (key == "energy" || key == "components" || key == "actions" || key == "inputs" || key == "static")
      continue;
    name += (name.empty() ? "" : " ") + key;
  }
  return name;
}

std::string Uncertain::at(double quantile) const {
  double x = power_of_two      ? stepped(value, quantile)
             : quantile <= 0.5 ? between(low, value, 2 * quantile)
                               : between(value, high, 2 * quantile - 1);
  double number = x / unit_;
  if (whole) number = std::max(1.0, std::round(number));
  return fmt::format("{:.9g}{}", number, suffix_);
}

// Walks the tree and collects.
class UncertainFinder {
 public:
  explicit UncertainFinder(double factor) : factor_(factor) {}

  void walk(const Value& map, const std::string& path) {
    for (const Value::Entry& e : map.entries()) {
      if (e.key == "source" || e.key == "part" || e.key == "tdp" || e.key == "area" ||
          e.key == "conditions" || e.key == "operating_point" || e.key == "operating_points" ||
          e.key == "gated")
        continue;
      const std::string at = path.empty() ? e.key : path + "." + e.key;
      if (e.value.is_map() && e.value.find("value"))
        add_ranged(e.value, at);
      else if (e.value.is_map())
        walk(e.value, at);
      else if (is_guess(source_of(map, e.key)))
        add(e.value, at, source_of(map, e.key), nullptr, nullptr);
    }
  }

  std::vector<Uncertain> found() { return std::move(found_); }

 private:
  void add_ranged(const Value& form, const std::string& path) {
    const Value* source = form.find("source");
    const std::string text = source && source->is_scalar() ? source->text() : "";
    const Value *low = form.find("low"), *high = form.find("high");
    if ((low && high) || is_guess(text)) add(*form.find("value"), path, text, low, high);
  }

  void add(const Value& scalar, const std::string& path, const std::string& source, const Value* low,
           const Value* high) {
    const auto m = measure_of(&scalar);
    if (!m) return;
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (same_place(places_[i], scalar.position()) && found_[i].text == scalar.text()) {
        found_[i].paths.push_back(path);
        return;
      }
    Uncertain u;
    u.paths = {path};
    u.text = scalar.text();
    u.source = source;
    u.value = m->value;
    split_text(u);
    const auto l = measure_of(low), h = measure_of(high);
    u.ranged = l && h;
    if (u.ranged)
      use_range(u, *l, *h, high->text());
    else if (!use_factor(u, *m))
      return;
    if (!(u.low < u.high)) return;
    found_.push_back(std::move(u));
    places_.push_back(scalar.position());
  }

  static bool same_place(const Position& a, const Position& b) {
    return a.line > 0 && a.source == b.source && a.line == b.line && a.column == b.column;
  }

  static void split_text(Uncertain& u) {
    char* end = nullptr;
    u.number_ = std::strtod(u.text.c_str(), &end);
    u.suffix_ = end;
    u.unit_ = u.number_ != 0 ? u.value / u.number_ : 1;
  }

  static void use_range(Uncertain& u, const Measure& low, const Measure& high, const std::string& high_text) {
    u.low = std::min(low.value, u.value);
    u.high = std::max(high.value, u.value);
    if (u.number_ != 0 || high.value == 0) return;
    // A value of 0 does not tell its unit's size; the high end does.
    const double number = std::strtod(high_text.c_str(), nullptr);
    u.suffix_ = high_text.substr(high_text.find_first_not_of("0123456789.eE+-"));
    u.unit_ = high.value / number;
  }

  // False: not a number that could be otherwise (zero, a version, a share that is exactly one).
  bool use_factor(Uncertain& u, const Measure& m) const {
    if (u.value <= 0) return false;
    const bool data = m.dimension == unit::data.dimension || m.dimension == unit::data_per_cycle.dimension;
    const bool counted =
        m.dimension == unit::cycles.dimension || data ||
        (m.bare && std::floor(u.number_) == u.number_ && u.text.find('.') == std::string::npos);
    u.whole = counted;
    u.power_of_two = counted && is_power_of_two(u.value);
    const double factor = u.power_of_two ? 2 : factor_;
    u.low = u.value / factor;
    u.high = u.value * factor;
    if (u.power_of_two && data) {  // "2 MiB" is halved in bytes
      u.suffix_ = m.dimension == unit::data.dimension ? " B" : " B/cycle";
      u.unit_ = 1;
    }
    return !(u.whole && u.value == 1);
  }

  double factor_;
  std::vector<Uncertain> found_;
  std::vector<Position> places_;
};

std::vector<Uncertain> uncertain_numbers(const Value& tree, double factor) {
  UncertainFinder finder(factor);
  finder.walk(tree, "");
  return finder.found();
}

void put(Value& tree, const Uncertain& number, const std::string& text) {
  for (const std::string& path : number.paths)
    set_path(tree, path, Value::scalar(text, Position{"--set " + path + "=" + text}));
}

}  // namespace edgenpu::config
