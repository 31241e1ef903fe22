#include "evidence/energy_scope.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::evidence {

namespace {

constexpr const char* kRail = "rail ";

double joules_on_rail(const StepCounts& counts, const energy::Table& table, const std::string& rail) {
  const energy::StepEnergy step = energy::price(counts.run, table, counts.sizes);
  double joules = 0;
  bool found = false;
  for (const energy::Component& c : table.components) {
    if (c.rail != rail) continue;
    found = true;
    for (const energy::ComponentEnergy& e : step.components)
      if (e.component == c.name) joules += e.total().count();
  }
  if (!found)
    throw InputError(table.position, "the energy table puts no component on the rail '" + rail + "'");
  return joules;
}

energy::Scope scope_of(const std::string& name) {
  const auto& names = energy::scope_names();
  return static_cast<energy::Scope>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

double joules_in(const StepCounts& counts, const energy::Table& table, const std::string& scope) {
  if (scope.rfind(kRail, 0) == 0)
    return joules_on_rail(counts, table, scope.substr(std::string(kRail).size()));
  const energy::Scope wanted = scope_of(scope);
  if (wanted > table.covers)
    throw InputError(Position{"energy"},
                     fmt::format("it is needed of {}; the hardware's energy table covers {}", scope,
                                 energy::to_string(table.covers)));
  return energy::price(counts.run, table, counts.sizes, wanted).total().count();
}

}  // namespace edgenpu::evidence
