#include "config/system.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "config/reader.h"

namespace edgenpu::config {

namespace {

std::vector<std::string> names_of(const std::vector<UnitSection>& units) {
  std::vector<std::string> names;
  for (const UnitSection& u : units) names.push_back(u.name);
  return names;
}

bool is_known(const std::string& unit, const Position& where, const std::vector<std::string>& units,
              Diagnostics& out) {
  if (std::find(units.begin(), units.end(), unit) != units.end()) return true;
  out.add(where, fmt::format("no unit '{}'; there are: {}{}", unit, join(units), did_you_mean(unit, units)));
  return false;
}

std::vector<UnitSection> read_units(const Value& section, const Value* memory, Diagnostics& out) {
  std::vector<UnitSection> units;
  for (const Value::Entry& e : section.entries()) {
    if (!e.value.is_map()) {
      out.add(e.value.position(),
              fmt::format("unit '{}' must be a section (a map), found {}", e.key, describe(e.value)));
      continue;
    }
    UnitSection unit{e.key, e.value};
    if (const Value* own = unit.tree.find("memory"))
      out.add(own->position(),
              "the memory of unit '" + e.key + "' is the system's: set 'memory' of the system");
    if (memory) unit.tree.set("memory", *memory);
    units.push_back(std::move(unit));
  }
  if (units.empty()) out.add(section.position(), "'units' names no unit");
  return units;
}

UnitPlacement read_unit_placement(const Value::Entry& e, Diagnostics& out) {
  UnitPlacement p{e.key, e.key_position, {}, e.value.is_scalar() && e.value.text() == "rest"};
  if (p.rest) return p;
  for (const Value& pattern : e.value.items()) {
    if (pattern.is_scalar())
      p.patterns.push_back(pattern.text());
    else
      out.add(pattern.position(), "a pattern of operators must be text, found " + describe(pattern));
  }
  if (p.patterns.empty())
    out.add(e.value.position(),
            fmt::format("'{}' must be a list of patterns or 'rest', found {}", e.key, describe(e.value)));
  return p;
}

SystemPlacement read_placement(const Value& section, const std::vector<std::string>& units,
                               Diagnostics& out) {
  SystemPlacement placement;
  placement.where = section.position();
  MapReader r(section, out, "'placement'");
  int rest = 0;
  for (const Value::Entry& e : section.entries()) {
    if (e.key == "handover" || e.key == "source") continue;
    r.accept(e.key);
    if (!is_known(e.key, e.key_position, units, out)) continue;
    placement.units.push_back(read_unit_placement(e, out));
    rest += placement.units.back().rest;
  }
  if (r.has("handover")) placement.handover = r.duration("handover", {0, 1});
  if (rest != 1 && out.empty())
    out.add(section.position(),
            fmt::format("{} units take the rest of the operators; exactly one must", rest));
  const bool turns = placement.units.size() > 1;
  if (turns && !placement.handover)
    out.add(section.position(), "units take turns: 'handover' is missing, the time from one to the next");
  if (!turns && placement.handover) r.error("handover", "needs a second unit: one alone hands nothing over");
  r.finish();
  return placement;
}

SystemPlacement alone(const std::string& unit, const Position& where) {
  return {where, {{unit, where, {}, true}}, std::nullopt};
}

SystemProgram read_program(const Value::Entry& e, const std::vector<std::string>& units, Diagnostics& out) {
  SystemProgram p;
  p.name = e.key;
  p.where = e.key_position;
  if (!e.value.is_map()) {
    out.add(e.value.position(), "program '" + e.key + "' must be a map, found " + describe(e.value));
    return p;
  }
  MapReader r(e.value, out, "program '" + e.key + "'", Provenance::optional);
  const Value* unit = e.value.find("units");
  r.accept("units");
  r.accept("placement");
  const Value* placement = e.value.find("placement");
  if (static_cast<bool>(unit) == static_cast<bool>(placement))
    out.add(e.key_position, "program '" + e.key + "' needs 'units' (one) or 'placement' (several), not both");
  else if (placement && placement->is_map())
    p.placement = read_placement(*placement, units, out);
  else if (unit && unit->is_scalar() && is_known(unit->text(), unit->position(), units, out))
    p.placement = alone(unit->text(), unit->position());
  const auto text = [&](const char* key, std::optional<std::string>& value) {
    r.accept(key);
    if (r.has(key)) value = r.text(key);
  };
  const auto count = [&](const char* key, std::int64_t low, std::optional<std::int64_t>& value) {
    r.accept(key);
    if (r.has(key)) value = r.integer(key, {low, 100'000'000});
  };
  text("model", p.model);
  text("quant", p.quant);
  text("phase", p.phase);
  text("kv", p.kv);
  count("context", 0, p.context);
  count("prompt", 1, p.prompt);
  count("batch", 1, p.batch);
  r.finish();
  return p;
}

// A unit runs one program.
void check_once(const std::vector<SystemProgram>& programs, Diagnostics& out) {
  std::vector<std::pair<std::string, std::string>> taken;
  for (const SystemProgram& p : programs)
    for (const UnitPlacement& u : p.placement.units) {
      for (const auto& [unit, program] : taken)
        if (unit == u.unit)
          out.add(u.where,
                  fmt::format("unit '{}' runs program '{}' already; a unit runs one", unit, program));
      taken.emplace_back(u.unit, p.name);
    }
}

std::vector<SystemProgram> read_programs(MapReader& top, const System& system, Diagnostics& out) {
  const std::vector<std::string> units = names_of(system.units);
  const Value* placement = top.map("placement", true);
  const Value* section = top.map("programs", true);
  std::vector<SystemProgram> programs;
  if (section && placement) top.error("placement", "belongs to one program: move it into 'programs'");
  if (section) {
    for (const Value::Entry& e : section->entries()) programs.push_back(read_program(e, units, out));
    if (programs.empty()) out.add(section->position(), "'programs' names no program");
    check_once(programs, out);
    return programs;
  }
  SystemProgram one;
  one.name = system.name;
  one.where = top.value().position();
  if (placement)
    one.placement = read_placement(*placement, units, out);
  else if (units.size() == 1)
    one.placement = alone(units.front(), one.where);
  else if (out.empty())
    out.add(one.where, "several units: 'placement' or 'programs' must say what they run");
  return {one};
}

}  // namespace

bool is_system(const Value& tree) {
  const Value* kind = tree.find("kind");
  return kind && kind->is_scalar() && kind->text() == "system";
}

System read_system(const Value& tree) {
  Diagnostics out;
  MapReader top(tree, out, "the system");
  System system;
  top.choice("kind", {"system"});
  system.name = top.text("name");
  system.description = top.text("description", "");
  const Value* memory = top.map("memory");
  if (memory) system.memory = read_memory(*memory, out);
  if (const Value* units = top.map("units")) system.units = read_units(*units, memory, out);
  if (const Value* energy = top.map("energy")) {
    MapReader r(*energy, out, "'energy'", Provenance::optional);
    system.shared_energy = r.text("shared");
    if (const Value* unit = energy->find("shared"))
      is_known(system.shared_energy, unit->position(), names_of(system.units), out);
    r.finish();
  }
  system.programs = read_programs(top, system, out);
  top.finish();
  out.throw_if_any();
  return system;
}

}  // namespace edgenpu::config
