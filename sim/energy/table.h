// The energy table of a platform: what each action costs, what flows when nothing happens, and who pays. It
// is the merged `energy:` section of a hardware tree; part files are hw_configs/energy/<part>.yaml.
//
//   technology: text                      conditions that the prices hold under (node, voltage, temperature)
//   covers: soc+dram                      the largest scope that the table describes
//   inputs: {pe_overhead:, wire_length:, logic_area:, accumulator_bit:}   named inputs; each needed only if used
//   components:
//     <name>:
//       scope: die                        the smallest scope that the component is part of
//       actions: {<counter>: price}       scratchpad actions may map bank sizes to prices
//       static: {constant:, per_scratchpad:, per_logic_area:, per_memory:}
//   clock_tree: {share:, of: [component]} clocks as a share of the dynamic energy of `of` and the clocks
//   together regulator: {efficiency:} not_applicable: [counter]             actions that the hardware cannot
//   perform
//
// An action may stand in several components and then bills each (a DRAM bit costs in the device and in the
// interface). Scopes are nested: die < soc+dram < module < wall; the regulator belongs to soc+dram. Every
// number has a source, and may carry low and high bounds, which are kept.
//
// Left out: voltage, frequency and temperature (prices hold at the table's conditions), DRAM power-down and
// self-refresh, converters other than the one regulator.
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
enum class StaticBasis { constant, per_scratchpad, per_logic_area, per_memory };

struct StaticTerm {
  StaticBasis basis = StaticBasis::constant;
  config::Ranged power;
};

struct Component {
  std::string name;
  Scope scope = Scope::die;
  std::vector<Charge> charges;
  std::vector<StaticTerm> statics;
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
  std::optional<config::Ranged> regulator_efficiency;
  std::vector<std::string> not_applicable;
};

// Findings go to `out`; the table is usable only if there were none.
Table read_table(const config::Value& energy, Diagnostics& out);
// Throws InputError.
Table read_table(const config::Value& energy);

}  // namespace edgenpu::energy
