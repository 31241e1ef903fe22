#include "energy/table.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "energy/table_components.h"
#include "energy/table_conditions.h"

namespace edgenpu::energy {

namespace {

using config::MapReader;
using config::Value;

bool uses(const Table& table, Basis basis) {
  for (const Component& c : table.components)
    for (const Charge& charge : c.charges)
      if (charge.action->basis == basis) return true;
  return false;
}

bool uses(const Table& table, StaticBasis basis) {
  for (const Component& c : table.components)
    for (const StaticTerm& term : c.statics)
      if (term.basis == basis) return true;
  return false;
}

void read_inputs(MapReader& root, Table& table) {
  const bool pe = uses(table, Basis::pe_overhead) || uses(table, Basis::integer_pe),
             wire = uses(table, Basis::wire_length), area = uses(table, StaticBasis::per_logic_area);
  const Value* map = root.map("inputs", !pe && !wire && !area);
  if (!map) return;
  MapReader r(*map, root.diagnostics(), "the section 'inputs'");
  for (const char* key : {"pe_overhead", "wire_length", "logic_area", "accumulator_bit"}) r.accept(key);
  if (pe || r.has("pe_overhead")) table.pe_overhead = r.ranged_real("pe_overhead", {1, 100});
  if (wire || r.has("wire_length")) table.wire_length = r.ranged("wire_length", config::unit::length, {0, 1});
  if (area || r.has("logic_area")) table.logic_area = r.ranged("logic_area", config::unit::area, {0, 1e-2});
  if (r.has("accumulator_bit"))
    table.accumulator_bit = r.ranged("accumulator_bit", config::unit::energy, {0, 1e-12});
  r.finish();
}

void read_clock_tree(MapReader& root, Table& table) {
  Diagnostics& out = root.diagnostics();
  const Value* map = root.map("clock_tree", true);
  if (!map) return;
  MapReader r(*map, out, "the clock tree");
  ClockTree tree{r.ranged_real("share", {0, 0.9}), {}};
  std::vector<std::string> names;
  for (const Component& c : table.components) names.push_back(c.name);
  if (const Value* of = r.list("of"))
    for (const Value& item : of->items()) {
      const auto at = std::find(names.begin(), names.end(), item.text());
      if (at == names.end()) {
        out.add(item.position(), fmt::format("there is no component {}; there are: {}{}", describe(item),
                                             join(names), did_you_mean(item.text(), names)));
      } else if (table.components[static_cast<std::size_t>(at - names.begin())].scope != Scope::die) {
        out.add(item.position(),
                fmt::format("'{}' is not on the die: the clock tree does not reach it", item.text()));
      } else if (std::count(tree.of.begin(), tree.of.end(), item.text())) {
        out.add(item.position(), fmt::format("'{}' is listed twice", item.text()));
      }
      tree.of.push_back(item.text());
    }
  r.finish();
  table.clock_tree = std::move(tree);
}

void read_regulator(MapReader& root, Table& table) {
  const Value* map = root.map("regulator", true);
  if (!map) return;
  MapReader r(*map, root.diagnostics(), "the regulator");
  table.regulator_efficiency = r.ranged_real("efficiency", {0.01, 1});
  r.accept("area");
  if (r.has("area")) table.regulator_area = r.ranged("area", config::unit::area, {0, kMostArea});
  r.finish();
}

void read_not_applicable(MapReader& root, Table& table) {
  const Value* list = root.list("not_applicable", true);
  if (!list) return;
  for (const Value& item : list->items()) {
    const auto names = action_names();
    if (!find_action(item.text()))
      root.diagnostics().add(item.position(),
                             fmt::format("{} is not a billable counter; there are: {}{}", describe(item),
                                         join(names), did_you_mean(item.text(), names)));
    table.not_applicable.push_back(item.text());
  }
}

void read_left_out(MapReader& root, Table& table) {
  const Value* map = root.map("left_out", true);
  if (!map) return;
  for (const Value::Entry& e : map->entries()) {
    if (!e.value.is_scalar() || e.value.text().empty())
      root.diagnostics().add(e.key_position, fmt::format("'left_out.{}': a reason is needed", e.key));
    table.left_out.push_back({e.key, e.key_position});
  }
}

// Beyond chip and memory (energy/complete.h), the widest scope is one that something lies in.
void check_covers(MapReader& root, const Table& table) {
  const auto lies_there = [&](const Component& c) { return c.scope == table.covers; };
  if (table.covers <= Scope::soc_dram ||
      std::any_of(table.components.begin(), table.components.end(), lies_there))
    return;
  root.error("covers", fmt::format("nothing of the table lies in the scope '{}'", to_string(table.covers)));
}

}  // namespace

const std::vector<std::string>& scope_names() {
  static const std::vector<std::string> names = {"die", "soc+dram", "module", "wall"};
  return names;
}

const std::vector<std::string>& class_names() {
  static const std::vector<std::string> names = {"memory", "matrix", "vector", "cores", "control", "static"};
  return names;
}

const char* to_string(Scope scope) {
  return scope_names()[static_cast<std::size_t>(scope)].c_str();
}

Table read_table(const config::Value& energy, Diagnostics& out) {
  Table table;
  table.position = energy.position();
  MapReader r(energy, out, "the energy table");
  r.accept("part");
  table.technology = r.text("technology");
  table.covers = static_cast<Scope>(r.choice("covers", scope_names()));
  read_components(r, table);
  read_inputs(r, table);
  read_clock_tree(r, table);
  read_regulator(r, table);
  read_not_applicable(r, table);
  read_left_out(r, table);
  check_covers(r, table);
  read_conditions(r, table);
  check_names(table, out);
  r.finish();
  return table;
}

Table read_table(const config::Value& energy) {
  Diagnostics out;
  Table table = read_table(energy, out);
  out.throw_if_any();
  return table;
}

}  // namespace edgenpu::energy
