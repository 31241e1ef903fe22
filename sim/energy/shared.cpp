#include "energy/shared.h"

#include <algorithm>
#include <utility>

namespace edgenpu::energy {

namespace {

template <class Keep>
Table with(Table table, const Keep& keep) {
  std::vector<Component> kept;
  for (Component& c : table.components)
    if (keep(c)) kept.push_back(std::move(c));
  table.components = std::move(kept);
  if (!table.clock_tree) return table;
  std::vector<std::string>& of = table.clock_tree->of;
  of.erase(std::remove_if(of.begin(), of.end(),
                          [&](const std::string& name) {
                            return std::none_of(table.components.begin(), table.components.end(),
                                                [&](const Component& c) { return c.name == name; });
                          }),
           of.end());
  if (of.empty()) table.clock_tree.reset();
  return table;
}

}  // namespace

bool is_shared(const Component& c) {
  if (c.scope != Scope::die) return true;
  return std::any_of(c.charges.begin(), c.charges.end(), [](const Charge& charge) {
    return std::string(charge.action->name).rfind("dram_", 0) == 0;
  });
}

Table own_part(Table unit, const Table& shared) {
  unit.regulator_efficiency = shared.regulator_efficiency;
  unit.regulator_area.reset();
  return with(std::move(unit), [](const Component& c) { return !is_shared(c); });
}

Table shared_part(Table table) {
  return with(std::move(table), is_shared);
}

}  // namespace edgenpu::energy
