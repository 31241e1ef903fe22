#include "energy/complete.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"

namespace edgenpu::energy {

namespace {

struct Part {
  const char* name;
  const char* what;
  bool asked, there;
};

bool prices(const Table& table, const std::string& action, bool on_die) {
  for (const Component& c : table.components)
    for (const Charge& charge : c.charges)
      if (charge.action->name == action && (c.scope == Scope::die) == on_die) return true;
  return false;
}

bool prices_bits(const Table& table, bool on_die) {
  return prices(table, "dram_read_bits", on_die) && prices(table, "dram_write_bits", on_die);
}

template <class Predicate>
bool has_static(const Table& table, Predicate takes) {
  return std::any_of(table.components.begin(), table.components.end(), [&](const Component& c) {
    return std::any_of(c.statics.begin(), c.statics.end(),
                       [&](const StaticTerm& term) { return takes(c, term.basis); });
  });
}

std::vector<Part> parts_of(const Table& t) {
  const bool beyond = t.covers > Scope::die;
  const bool engines = prices(t, "scratchpad_read_B", true) || prices(t, "scratchpad_write_B", true);
  const auto on_die = [&t](StaticBasis basis) {
    return has_static(
        t, [basis](const Component& c, StaticBasis b) { return c.scope == Scope::die && b == basis; });
  };
  const bool standby = has_static(t, [](const Component& c, StaticBasis) { return c.scope > Scope::die; });
  return {{"interface", "dram_read_bits and dram_write_bits on the die", true, prices_bits(t, true)},
          {"device", "dram_read_bits and dram_write_bits beyond the die", beyond, prices_bits(t, false)},
          {"memory_standby", "static power beyond the die", beyond, standby},
          {"always_on", "constant static power on the die", true, on_die(StaticBasis::constant)},
          {"sram_leakage", "static power per_scratchpad", engines, on_die(StaticBasis::per_scratchpad)},
          {"logic_leakage", "static power per_logic_area", engines, on_die(StaticBasis::per_logic_area)},
          {"clock_tree", "the section 'clock_tree'", engines, t.clock_tree.has_value()},
          {"regulator", "the section 'regulator'", beyond, t.regulator_efficiency.has_value()}};
}

}  // namespace

void check_complete(const Table& table, Diagnostics& out) {
  const std::vector<Part> parts = parts_of(table);
  std::vector<std::string> names;
  for (const Part& p : parts) {
    names.emplace_back(p.name);
    const auto named = std::find_if(table.left_out.begin(), table.left_out.end(),
                                    [&p](const LeftOut& l) { return l.part == p.name; });
    const bool left_out = named != table.left_out.end();
    if (left_out && p.there)
      out.add(named->where, fmt::format("'{}' is left out, but the table has {}", p.name, p.what));
    if (!left_out && p.asked && !p.there)
      out.add(table.position,
              fmt::format("the energy table lacks {}, which would cost nothing; price it, or say "
                          "why not: left_out: {{{}: \"reason\"}}",
                          p.what, p.name));
  }
  for (const LeftOut& l : table.left_out)
    if (std::find(names.begin(), names.end(), l.part) == names.end())
      out.add(l.where, fmt::format("'{}' is no part of an energy table; there are: {}{}", l.part, join(names),
                                   did_you_mean(l.part, names)));
}

}  // namespace edgenpu::energy
