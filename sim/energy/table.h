// The energy table of a platform: what each action costs, what flows when nothing happens, and who pays. It
// is the merged `energy:` section of a hardware tree; part files are hw_configs/energy/<part>.yaml.
//
//   technology: text                      conditions that the prices hold under (node, voltage, temperature)
//   covers: soc+dram                      the largest scope that the table describes
//   inputs: {pe_overhead:, wire_length:, logic_area:, accumulator_bit:}
//                                         named inputs; each needed only if used
//   components:
//     <name>:
//       scope: die                        the smallest scope that the component is part of
//       class: matrix                     where it stands in a split of the energy (kClassNames)
//       supply: core                      core: follows the operating point's voltage; fixed: another rail.
//                                         Default: core on the die
//       area: {constant:, per_multiplier:, per_engine:, per_lane:, per_scratchpad:, per_channel:, per_core:}
//                                         optional
//       rail: text                        the supply rail on which it is measured; optional
//       blocks: [component]               without an area: where its power flows; optional (also spelt `on`, which
//                                         YAML 1.1 takes for true)
//       actions: {<counter>: price}       scratchpad actions may map bank sizes to prices
//       static: {constant:, per_scratchpad:, per_logic_area:, per_memory:, per_core:}
//                                         a component with anything per core is not there where there are no
//                                         cores; a component has an action, a static power or an area
//   clock_tree: {share:, of: [component]} clocks as a share of the dynamic energy of `of` and the clocks
//                                         together
//   regulator: {efficiency:, area:}
//   not_applicable: [counter]             actions that the hardware cannot perform
//   left_out: {<part>: reason}            parts of a platform without a price here (energy/complete.h)
//   conditions: {voltage:, temperature:, leakage_doubling:, leakage_exponent:}
//                                         that the prices hold under; the last three only where something on
//                                         the core supply leaks
//   operating_point: {voltage:, temperature:}
//                                         that they are wanted at; default: the conditions
//   operating_points: {<name>: {clock:, voltage:}}
//                                         that the hardware has
//   gated: {leakage_left:, left: {<component>: share}}
//                                         what is left of leakage when the chip is off, and of the static
//                                         power of components that fall asleep otherwise (DRAM into
//                                         self-refresh)
//
// An action may stand in several components and then bills each (a DRAM bit costs in the device and in the
// interface). Scopes are nested: die < soc+dram < module < wall; the regulator belongs to soc+dram. Every
// number has a source, and may carry low and high bounds, which are kept.
//
// Left out: DRAM power-down and self-refresh, converters other than the one regulator.
// Errors: InputError with positions, all findings at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "config/reader.h"
#include "energy/actions.h"

namespace edgenpu::energy {

enum class Scope { die, soc_dram, module, wall };
const char* to_string(Scope scope);
// "die", "soc+dram", "module", "wall"
const std::vector<std::string>& scope_names();

struct BankPrice {
  Bytes bank{0};
  config::Ranged price;
};

struct Charge {
  const Action* action = nullptr;
  config::Ranged price;
  std::vector<BankPrice> by_bank;  // ascending; empty: `price` holds for every bank size
};

// What a static power is multiplied with.
enum class StaticBasis { constant, per_scratchpad, per_logic_area, per_memory, per_core };
// Of transistors that are on, rather than of something that works.
bool is_leakage(StaticBasis basis);

// What an area is multiplied with.
enum class AreaBasis {
  constant,
  per_multiplier,
  per_engine,
  per_lane,
  per_scratchpad,
  per_channel,
  per_core
};

struct AreaTerm {
  AreaBasis basis = AreaBasis::constant;
  config::Ranged area;  // m2, or m2 per byte
};

enum class Class { memory, matrix, vector, cores, control, fixed };
// "memory", "matrix", "vector", "cores", "control", "static"
const std::vector<std::string>& class_names();

// Prices hold at a voltage; leakage at a temperature as well.
struct Conditions {
  config::Ranged voltage, temperature;  // V, degrees Celsius
  config::Ranged leakage_doubling;      // K
  config::Ranged leakage_exponent;      // of the voltage
  bool leaks = false;                   // anything on the core supply; else there is the voltage only
};

struct OperatingPoint {
  std::string name;
  Hertz clock{1};
  double voltage = 0;
};

struct Gating {
  config::Ranged leakage_left;  // share
  // Components whose static power falls otherwise, with the share that is left.
  std::vector<std::pair<std::string, config::Ranged>> left;
};

struct StaticTerm {
  StaticBasis basis = StaticBasis::constant;
  config::Ranged power;
};

struct Component {
  std::string name;
  Scope scope = Scope::die;
  Class group = Class::fixed;
  bool core_supply = true;
  std::vector<Charge> charges;
  std::vector<StaticTerm> statics;
  std::vector<AreaTerm> areas;
  std::vector<std::string> on;
  std::string rail;
};

struct LeftOut {
  std::string part;
  Position where;
};

struct ClockTree {
  config::Ranged share;
  std::vector<std::string> of;
};

struct Table {
  Position position;
  std::string technology;
  Scope covers = Scope::soc_dram;
  std::optional<config::Ranged> pe_overhead, wire_length, logic_area;  // ratio, metres, square metres
  // Joules of one bit of the adder in an integer accumulator; without it, its width changes no price.
  std::optional<config::Ranged> accumulator_bit;
  std::vector<Component> components;
  std::optional<ClockTree> clock_tree;
  std::optional<config::Ranged> regulator_efficiency, regulator_area;
  std::optional<Conditions> conditions;
  double voltage = 0, temperature = 0;  // wanted; meant only with conditions
  std::vector<OperatingPoint> operating_points;
  std::optional<Gating> gating;
  std::vector<std::string> not_applicable;
  std::vector<LeftOut> left_out;
};

// Findings go to `out`; the table is usable only if there were none.
Table read_table(const config::Value& energy, Diagnostics& out);
// Throws InputError.
Table read_table(const config::Value& energy);

}  // namespace edgenpu::energy
