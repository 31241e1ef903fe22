#include "simulate/description.h"

#include <algorithm>
#include <fmt/format.h>

#include "energy/complete.h"
#include "energy/dram_energy.h"
#include "numerics/npu_options.h"

namespace edgenpu::simulate_detail {

namespace {

using config::Value;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void append(Diagnostics& out, const InputError& error) {
  for (const Diagnostic& d : error.diagnostics()) out.add(d.position, d.message);
}

// Sections of which a step reads little or nothing.
void check_other_sections(const Value& tree, Diagnostics& out) {
  if (const Value* prices = config::find_path(tree, "memory.energy")) {
    if (prices->is_map())
      energy::read_dram_prices(*prices, out);
    else
      out.add(prices->position(),
              "'memory.energy' must be a section (a map), found " + config::describe(*prices));
  }
  try {
    numerics::read_npu_arithmetic(tree);
  } catch (const InputError& error) {
    append(out, error);
  }
}

Position position_of_price(const Value& tree, const std::string& component, const std::string& action) {
  const Value* actions = config::find_path(tree, "energy.components." + component + ".actions");
  if (actions)
    for (const Value::Entry& e : actions->entries())
      if (e.key == action) return e.key_position;
  return tree.find("energy")->position();
}

// Why this device counts an action, or does not.
std::string reason(const std::string& action) {
  if (action.rfind("mac_", 0) == 0) return "matrix.rate." + action.substr(4);
  return action == "core_cycles" ? "operators placed on cores" : "engines that do it";
}

// Cores without work are not there, and neither are their prices.
void check_priced(const Device& device, const energy::Table& table, const Value& tree, Diagnostics& out) {
  const std::vector<std::string> counted = device.counted();
  std::vector<std::string> priced;
  for (const energy::Component& c : table.components)
    for (const energy::Charge& charge : c.charges) {
      const std::string action = charge.action->name;
      priced.push_back(action);
      const bool idle = energy::is_absent(c, device.sizes());
      if (idle || has(counted, action) || has(table.not_applicable, action)) continue;
      out.add(position_of_price(tree, c.name, action),
              fmt::format("'{}' is priced, but this hardware never counts it, for want of {}; list it in "
                          "energy.not_applicable",
                          action, reason(action)));
    }
  for (const std::string& action : counted)
    if (!has(priced, action) && !has(table.not_applicable, action))
      out.add(table.position,
              fmt::format("the energy table has no price of '{}', which this hardware counts ({})", action,
                          energy::find_action(action)->description));
}

}  // namespace

void check_description(const Device& device, const energy::Table& table, const Value& tree) {
  Diagnostics out;
  check_other_sections(tree, out);
  energy::check_complete(table, out);
  check_priced(device, table, tree, out);
  out.throw_if_any();
}

}  // namespace edgenpu::simulate_detail
