#include "energy/table_conditions.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "base/text.h"

namespace edgenpu::energy {

namespace {

using config::MapReader;
using config::RealRange;
using config::Value;

constexpr RealRange kVoltage{0.2, 2}, kTemperature{-55, 150};

// Numbers of which nothing shows or draws a range.
void refuse_ranges(MapReader& r, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const Value* form = r.value().find(key);
    for (const char* bound : {"low", "high"})
      if (form && form->is_map() && form->find(bound))
        r.error(key,
                fmt::format("has '{}', of which no result says anything; only the value is allowed", bound));
  }
}

bool leaks(const Table& table) {
  for (const Component& c : table.components)
    for (const StaticTerm& term : c.statics)
      if (c.core_supply && is_leakage(term.basis)) return true;
  return false;
}

// Laws of leakage, in a table where something leaks.
void read_leakage(MapReader& r, Conditions& c) {
  const std::vector<std::string> keys = {"temperature", "leakage_doubling", "leakage_exponent"};
  for (const std::string& key : keys) {
    r.accept(key);
    if (!c.leaks && r.has(key))
      r.error(key, "nothing of this table leaks on the core supply: it would change nothing");
  }
  if (!c.leaks) return;
  c.temperature = r.ranged("temperature", config::unit::temperature, kTemperature);
  c.leakage_doubling = r.ranged("leakage_doubling", config::unit::temperature, {1, 100});
  c.leakage_exponent = r.ranged_real("leakage_exponent", {0, 10});
  refuse_ranges(r, keys);
}

void read_voltages(MapReader& root, Table& table) {
  const Value* map = root.map("conditions", true);
  const Value* wanted = root.map("operating_point", true);
  if (!map) {
    if (wanted) root.error("operating_point", "needs the 'conditions' that the prices hold under");
    return;
  }
  MapReader r(*map, root.diagnostics(), "the conditions of the prices");
  Conditions c;
  c.voltage = r.ranged("voltage", config::unit::voltage, kVoltage);
  refuse_ranges(r, {"voltage"});
  c.leaks = leaks(table);
  read_leakage(r, c);
  r.finish();
  table.conditions = c;
  table.voltage = c.voltage.value;
  table.temperature = c.temperature.value;
  if (!wanted) return;
  MapReader w(*wanted, root.diagnostics(), "the operating point", config::Provenance::optional);
  table.voltage = w.quantity("voltage", config::unit::voltage, kVoltage, table.voltage);
  w.accept("temperature");
  if (!c.leaks && w.has("temperature"))
    w.error("temperature", "nothing of this table leaks on the core supply: it would change nothing");
  if (c.leaks)
    table.temperature = w.quantity("temperature", config::unit::temperature, kTemperature, table.temperature);
  w.finish();
}

void read_operating_points(MapReader& root, Table& table) {
  const Value* map = root.map("operating_points", true);
  if (!map) return;
  for (const Value::Entry& e : map->entries()) {
    if (e.key == "source") continue;
    if (!plain_name(e.key))
      root.diagnostics().add(e.key_position,
                             "an operating point's name has letters, digits, '_', '-' and '.' only");
    MapReader r(e.value, root.diagnostics(), "the operating point " + e.key);
    OperatingPoint p;
    p.name = e.key;
    p.clock = r.frequency("clock", {1'000'000, 10'000'000'000});
    p.voltage = r.quantity("voltage", config::unit::voltage, kVoltage);
    refuse_ranges(r, {"clock", "voltage"});
    r.finish();
    table.operating_points.push_back(p);
  }
}

void read_gating(MapReader& root, Table& table) {
  const Value* map = root.map("gated", true);
  if (!map) return;
  MapReader r(*map, root.diagnostics(), "the gated state");
  table.gating = Gating{r.ranged_real("leakage_left", {0, 1}), {}};
  if (const Value* left = r.map("left", true)) {
    MapReader shares(*left, root.diagnostics(), "what gating leaves");
    for (const Value::Entry& e : left->entries())
      if (e.key != "source") table.gating->left.emplace_back(e.key, shares.ranged_real(e.key, {0, 1}));
    shares.finish();
  }
  r.finish();
}

}  // namespace

void read_conditions(MapReader& root, Table& table) {
  read_voltages(root, table);
  read_operating_points(root, table);
  read_gating(root, table);
}

// Names of components in `on` and `gated.left`.
void check_names(const Table& table, Diagnostics& out) {
  std::vector<std::string> names, blocks;
  for (const Component& c : table.components) {
    names.push_back(c.name);
    if (!c.areas.empty()) blocks.push_back(c.name);
  }
  const auto check = [&](const std::string& name, const std::vector<std::string>& allowed, const char* what) {
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      out.add(table.position, fmt::format("'{}' is not a component {}; there are: {}{}", name, what,
                                          join(allowed), did_you_mean(name, allowed)));
  };
  for (const Component& c : table.components) {
    for (const std::string& name : c.on) check(name, blocks, "with an area");
    if (!c.on.empty() && !c.areas.empty())
      out.add(table.position, fmt::format("'{}' has an area of its own and lies on others", c.name));
  }
  if (table.gating)
    for (const auto& [name, share] : table.gating->left) check(name, names, "of this table");
}

}  // namespace edgenpu::energy
