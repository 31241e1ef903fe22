#include "config/units.h"

#include <cmath>
#include <cstdlib>
#include <map>

namespace edgenpu::config {

namespace {

struct NamedUnit {
  double factor;
  Dimension dimension;
};

const std::map<std::string, NamedUnit>& named_units() {
  static const std::map<std::string, NamedUnit> units = [] {
    std::map<std::string, NamedUnit> u;
    const struct {
      const char* prefix;
      double factor;
    } prefixes[] = {{"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3},
                    {"", 1},      {"k", 1e3},   {"M", 1e6},  {"G", 1e9},  {"T", 1e12}};
    for (const auto& p : prefixes) {
      const std::string prefix = p.prefix;
      u[prefix + "s"] = {p.factor, unit::time.dimension};
      u[prefix + "Hz"] = {p.factor, unit::frequency.dimension};
      u[prefix + "J"] = {p.factor, unit::energy.dimension};
      u[prefix + "W"] = {p.factor, unit::power.dimension};
      u[prefix + "V"] = {p.factor, unit::voltage.dimension};
      u[prefix + "m"] = {p.factor, unit::length.dimension};
      if (p.factor >= 1) {
        u[prefix + "B"] = {p.factor, unit::data.dimension};
        u[prefix + "bit"] = {p.factor / 8, unit::data.dimension};
      }
    }
    u["KiB"] = {1024.0, unit::data.dimension};
    u["MiB"] = {1024.0 * 1024, unit::data.dimension};
    u["GiB"] = {1024.0 * 1024 * 1024, unit::data.dimension};
    u["Gib"] = {1024.0 * 1024 * 1024 / 8, unit::data.dimension};
    u["mm2"] = {1e-6, unit::area.dimension};
    u["um2"] = {1e-12, unit::area.dimension};
    u["K"] = u["C"] = {1, unit::temperature.dimension};
    for (const char* name : {"cycle", "cycles", "CK"}) u[name] = {1, unit::cycles.dimension};
    for (const char* thing : {"MAC", "op", "weight", "ACT", "REF", "instr", "element", "token"})
      u[thing] = {1, Dimension{}};
    return u;
  }();
  return units;
}

void multiply(Dimension& d, const Dimension& by, int sign) {
  d.time += sign * by.time;
  d.energy += sign * by.energy;
  d.data += sign * by.data;
  d.length += sign * by.length;
  d.voltage += sign * by.voltage;
  d.temperature += sign * by.temperature;
  d.cycle += sign * by.cycle;
}

std::string trimmed(const std::string& s) {
  const std::size_t first = s.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::optional<Measure> parse_measure(const std::string& text, std::string& why) {
  const std::string s = trimmed(text);
  char* end = nullptr;
  const double number = std::strtod(s.c_str(), &end);
  if (end == s.c_str() || !std::isfinite(number)) {
    why = "'" + text + "' does not start with a number";
    return std::nullopt;
  }
  Measure m{number, {}, true};
  std::string rest = trimmed(end);
  int sign = 1;
  while (!rest.empty()) {
    m.bare = false;
    const std::size_t slash = rest.find('/');
    const std::string name = trimmed(rest.substr(0, slash));
    const auto found = named_units().find(name);
    if (found == named_units().end()) {
      why = "'" + name + "' is not a unit";
      return std::nullopt;
    }
    m.value = sign > 0 ? m.value * found->second.factor : m.value / found->second.factor;
    multiply(m.dimension, found->second.dimension, sign);
    if (slash == std::string::npos) break;
    rest = trimmed(rest.substr(slash + 1));
    if (rest.empty()) {
      why = "'" + text + "' ends in '/'";
      return std::nullopt;
    }
    sign = -1;
  }
  return m;
}

}  // namespace edgenpu::config
