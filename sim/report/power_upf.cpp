// UPF 2.0 (IEEE 1801-2009): supplies, one switchable and one always-on domain, and a power state table with
// the operating points, idle and gated.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "report/power.h"

namespace edgenpu::report {

namespace {

using energy::Scope;
using energy::StepEnergy;

struct State {
  std::string name;
  double voltage;  // of the core supply; 0: off
  std::string comment;
};

std::string identifier(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

double watts(const StepPower& step, double voltage, bool gated) {
  energy::Table table = step.table;
  table.voltage = voltage;
  const energy::Prices prices = energy::prices_for(table, step.sizes);
  const Scope scope = step.energy.scope;
  return (gated ? gated_power(prices, table, scope) : idle_power(prices, scope)).count();
}

std::vector<State> states_of(const StepPower& step) {
  const energy::Table& t = step.table;
  std::vector<State> states;
  for (const energy::OperatingPoint& p : t.operating_points)
    states.push_back(
        {"ON_" + identifier(p.name), p.voltage,
         fmt::format("{:.4g} MHz; {:.4g} W while nothing moves", static_cast<double>(p.clock.count()) * 1e-6,
                     watts(step, p.voltage, false))});
  if (states.empty())
    states.push_back(
        {"ON", t.voltage, fmt::format("{:.4g} W while nothing moves", watts(step, t.voltage, false))});
  const double lowest = std::min_element(states.begin(), states.end(), [](const State& a, const State& b) {
                          return a.voltage < b.voltage;
                        })->voltage;
  states.push_back({"IDLE", lowest, fmt::format("clocks stopped: {:.4g} W", watts(step, lowest, false))});
  if (t.gating)
    states.push_back({"GATED", 0, fmt::format("core supply off: {:.4g} W", watts(step, lowest, true))});
  return states;
}

// Blocks of the die that hang on the core supply, or not.
std::string elements(const StepPower& step, bool core) {
  std::string list;
  for (const energy::Block& b : step.blocks)
    for (const energy::Component& c : step.table.components)
      if (c.name == b.name && b.scope == Scope::die && c.core_supply == core)
        list += (list.empty() ? "u_" : " u_") + identifier(b.name);
  return list;
}

}  // namespace

std::string power_upf(const StepPower& step) {
  std::string text =
      "# UPF 2.0 (IEEE 1801-2009). Instances are named u_<block>; watts in comments are idle power of the "
      "scope\n"
      "# " +
      std::string(energy::to_string(step.energy.scope)) + ".\n";
  if (!step.table.conditions)
    return text + "# The energy table names no voltage: there are no power states to describe.\n";
  const std::string core = elements(step, true), fixed = elements(step, false);
  text += "upf_version 2.0\nset_scope .\n";
  text += fmt::format("create_power_domain PD_AON -include_scope\n");
  text += fmt::format("create_power_domain PD_CORE -elements {{{}}}\n", core);
  if (!fixed.empty()) text += fmt::format("# always on, rails of their own: {}\n", fixed);
  for (const char* port : {"VDD_CORE", "VDD_AON", "VSS"}) {
    text += fmt::format("create_supply_port {} -direction in\n", port);
    text += fmt::format("create_supply_net {} -domain PD_AON\n", port);
    text += fmt::format("connect_supply_net {0} -ports {0}\n", port);
  }
  text += "create_supply_net VDD_CORE -domain PD_CORE -reuse\ncreate_supply_net VSS -domain PD_CORE -reuse\n";
  text += "set_domain_supply_net PD_AON -primary_power_net VDD_AON -primary_ground_net VSS\n";
  text += "set_domain_supply_net PD_CORE -primary_power_net VDD_CORE -primary_ground_net VSS\n";
  const std::vector<State> states = states_of(step);
  for (const State& s : states) {
    if (s.voltage > 0)
      text += fmt::format("add_port_state VDD_CORE -state {{{} {:.4g}}}\n", s.name, s.voltage);
    else
      text += fmt::format("add_port_state VDD_CORE -state {{{} off}}\n", s.name);
  }
  text += fmt::format("add_port_state VDD_AON -state {{AON {:.4g}}}\n", step.table.conditions->voltage.value);
  text += "add_port_state VSS -state {GND 0}\ncreate_pst edgenpu_pst -supplies {VDD_CORE VDD_AON VSS}\n";
  for (const State& s : states) {
    text += fmt::format("# {}\n", s.comment);
    text += fmt::format("add_pst_state {0} -pst edgenpu_pst -state {{{0} AON GND}}\n", s.name);
  }
  return text;
}

}  // namespace edgenpu::report
