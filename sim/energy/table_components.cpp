#include "energy/table_components.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "base/text.h"

namespace edgenpu::energy {

namespace {

using config::MapReader;
using config::RealRange;
using config::Value;

// Far beyond any price or power of a chip: ranges catch a slipped prefix, not a wrong guess.
constexpr RealRange kPrice{0, 1e-6};
constexpr RealRange kPriceByBank{1e-18, 1e-6};  // above 0: its logarithm is taken

struct AreaKey {
  AreaBasis basis;
  const char* name;
  config::Unit unit;
};

const AreaKey kAreas[] = {{AreaBasis::constant, "constant", config::unit::area},
                          {AreaBasis::per_multiplier, "per_multiplier", config::unit::area},
                          {AreaBasis::per_engine, "per_engine", config::unit::area},
                          {AreaBasis::per_lane, "per_lane", config::unit::area},
                          {AreaBasis::per_scratchpad, "per_scratchpad", config::unit::area_per_data},
                          {AreaBasis::per_channel, "per_channel", config::unit::area},
                          {AreaBasis::per_core, "per_core", config::unit::area}};

struct StaticKey {
  StaticBasis basis;
  const char* name;
  config::Unit unit;
  double highest;
};

const StaticKey kStatics[] = {
    {StaticBasis::constant, "constant", config::unit::power, 1e3},
    {StaticBasis::per_scratchpad, "per_scratchpad", config::unit::power_per_data, 1e-5},  // 10 W/MB
    {StaticBasis::per_logic_area, "per_logic_area", config::unit::power_per_area, 1e7},   // 10 W/mm2
    {StaticBasis::per_memory, "per_memory", config::unit::power_per_data, 1e-8},          // 10 W/GB
    {StaticBasis::per_core, "per_core", config::unit::power, 1e2}};

std::vector<BankPrice> read_banks(const Value& map, const Action& action, Diagnostics& out) {
  MapReader r(map, out, fmt::format("'{}' by bank size", action.name));
  std::vector<BankPrice> banks;
  for (const Value::Entry& e : map.entries()) {
    if (e.key == "source") continue;
    std::string why;
    const auto size = config::parse_measure(e.key, why);
    if (!size || size->bare || !(size->dimension == config::unit::data.dimension) || size->value < 1) {
      out.add(e.key_position,
              fmt::format("'{}' is not a bank size; a size is needed, for example \"64 KiB\"", e.key));
      r.accept(e.key);
      continue;
    }
    banks.push_back(
        {Bytes(static_cast<std::int64_t>(size->value)), r.ranged(e.key, action.price_unit, kPriceByBank)});
  }
  std::sort(banks.begin(), banks.end(),
            [](const BankPrice& a, const BankPrice& b) { return a.bank < b.bank; });
  for (std::size_t i = 1; i < banks.size(); ++i)
    if (banks[i].bank == banks[i - 1].bank)
      out.add(map.position(), fmt::format("'{}' has two prices for one bank size", action.name));
  if (banks.empty()) out.add(map.position(), fmt::format("'{}' has no price", action.name));
  r.finish();
  return banks;
}

std::vector<Charge> read_charges(const Value& map, const std::string& component, Diagnostics& out) {
  MapReader r(map, out, "the actions of " + component);
  std::vector<Charge> charges;
  for (const Value::Entry& e : map.entries()) {
    if (e.key == "source") continue;
    r.accept(e.key);
    const Action* action = find_action(e.key);
    if (!action) {
      const auto names = action_names();
      out.add(e.key_position, fmt::format("'{}' is not a billable counter; there are: {}{}", e.key,
                                          join(names), did_you_mean(e.key, names)));
      continue;
    }
    Charge charge{action, {}, {}};
    const bool by_bank = action->basis == Basis::bank_size && e.value.is_map() && !e.value.find("value");
    if (by_bank) {
      charge.by_bank = read_banks(e.value, *action, out);
    } else {
      charge.price = r.ranged(e.key, action->price_unit, kPrice);
    }
    charges.push_back(std::move(charge));
  }
  r.finish();
  return charges;
}

std::vector<StaticTerm> read_statics(const Value& map, const std::string& component, Diagnostics& out) {
  MapReader r(map, out, "the static power of " + component);
  std::vector<StaticTerm> terms;
  for (const StaticKey& key : kStatics) {
    r.accept(key.name);
    if (r.has(key.name)) terms.push_back({key.basis, r.ranged(key.name, key.unit, {0, key.highest})});
  }
  r.finish();
  return terms;
}

std::vector<AreaTerm> read_areas(const Value& map, const std::string& component, Diagnostics& out) {
  MapReader r(map, out, "the area of " + component);
  std::vector<AreaTerm> terms;
  for (const AreaKey& key : kAreas) {
    r.accept(key.name);
    if (r.has(key.name)) terms.push_back({key.basis, r.ranged(key.name, key.unit, {0, kMostArea})});
  }
  r.finish();
  return terms;
}

std::vector<std::string> read_names(MapReader& r, const std::string& key) {
  std::vector<std::string> names;
  if (const Value* list = r.list(key, true))
    for (const Value& item : list->items()) names.push_back(item.text());
  return names;
}

// A component whose contents were taken out must not stay behind.
void check_something(MapReader& r, const Component& c, const Position& where) {
  const auto holds = [&r](const char* section) {
    const Value* map = r.value().find(section);
    if (!map || !map->is_map()) return map != nullptr;
    return std::any_of(map->entries().begin(), map->entries().end(),
                       [](const Value::Entry& e) { return e.key != "source"; });
  };
  if (holds("actions") || holds("static")) return;
  if (!holds("area"))
    r.diagnostics().add(where,
                        fmt::format("component '{}' has neither actions nor static power nor an area: it "
                                    "would change nothing",
                                    c.name));
  else if (r.has("class") && c.group == Class::fixed)
    r.error("class", fmt::format("'static', but component '{}' has no static power", c.name));
}

Component read_component(const Value::Entry& entry, Diagnostics& out) {
  Component c;
  c.name = entry.key;
  MapReader r(entry.value, out, "the component " + entry.key);
  c.scope = static_cast<Scope>(r.choice("scope", scope_names()));
  c.group = static_cast<Class>(r.choice("class", class_names(), static_cast<std::size_t>(Class::fixed)));
  c.core_supply = r.choice("supply", {"core", "fixed"}, c.scope == Scope::die ? 0 : 1) == 0;
  if (const Value* map = r.map("area", true)) c.areas = read_areas(*map, c.name, out);
  if (r.has("on") && r.has("blocks"))
    r.error("on", "is the old spelling of 'blocks', which is there as well");
  r.accept("on");
  c.on = read_names(r, r.has("on") ? "on" : "blocks");
  r.accept("blocks");
  c.rail = r.text("rail", "");
  if (const Value* map = r.map("actions", true)) c.charges = read_charges(*map, c.name, out);
  if (const Value* map = r.map("static", true)) c.statics = read_statics(*map, c.name, out);
  r.finish();
  check_something(r, c, entry.key_position);
  return c;
}

}  // namespace

void read_components(MapReader& root, Table& table) {
  Diagnostics& out = root.diagnostics();
  const Value* map = root.map("components");
  if (!map) return;
  for (const Value::Entry& e : map->entries()) {
    if (e.key == "clock_tree" || e.key == "regulator_loss") {
      out.add(e.key_position, fmt::format("'{}' is the name of a derived component", e.key));
      continue;
    }
    if (!plain_name(e.key))
      out.add(e.key_position, "a component's name has letters, digits, '_', '-' and '.' only");
    table.components.push_back(read_component(e, out));
    if (table.components.back().scope > table.covers)
      out.add(e.key_position,
              fmt::format("component '{}' lies in scope {}, beyond what the table covers ({})", e.key,
                          to_string(table.components.back().scope), to_string(table.covers)));
  }
}

}  // namespace edgenpu::energy
