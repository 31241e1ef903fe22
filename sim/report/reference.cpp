#include "report/reference.h"

#include <fmt/format.h>

#include "report/numbers.h"

namespace edgenpu::report {

namespace {

using config::Ranged;
using energy::Basis;
using energy::StaticBasis;

const char* basis_text(Basis basis) {
  switch (basis) {
    case Basis::each:
      return "";
    case Basis::pe_overhead:
    case Basis::integer_pe:
      return "pe_overhead";
    case Basis::wire_length:
      return "wire_length";
    case Basis::bank_size:
      return "price follows the bank size";
    case Basis::rank:
      return "capacity of a rank";
    case Basis::bank:
      return "capacity of a rank / its banks";
  }
  return "";
}

// The unit that a price is read in, and how many base units of its denominator that unit has.
struct Shown {
  std::string unit;
  double scale;
};

constexpr double kMiB = 1024.0 * 1024, kGiB = 1024 * kMiB, kMm = 1e-3, kMm2 = 1e-6, kBit = 1.0 / 8;

Shown shown(const energy::Action& action) {
  switch (action.basis) {
    case Basis::wire_length:
      return {"J/bit/mm", kBit * kMm};
    case Basis::bank_size:
      return {"J/B", 1};
    case Basis::rank:
    case Basis::bank:
      return {"J/GiB", kGiB};
    case Basis::each:
    case Basis::pe_overhead:
    case Basis::integer_pe:
      break;
  }
  return action.price_unit.dimension == config::unit::energy_per_data.dimension ? Shown{"J/bit", kBit}
                                                                                : Shown{"J", 1};
}

Shown shown(StaticBasis basis) {
  switch (basis) {
    case StaticBasis::constant:
      return {"W", 1};
    case StaticBasis::per_scratchpad:
      return {"W/MiB", kMiB};
    case StaticBasis::per_logic_area:
      return {"W/mm2", kMm2};
    case StaticBasis::per_memory:
      return {"W/GiB", kGiB};
    case StaticBasis::per_core:
      return {"W", 1};
  }
  return {"", 1};
}

const char* static_text(StaticBasis basis) {
  switch (basis) {
    case StaticBasis::constant:
      return "static";
    case StaticBasis::per_scratchpad:
      return "static, x scratchpad size";
    case StaticBasis::per_logic_area:
      return "static, x logic_area";
    case StaticBasis::per_memory:
      return "static, x memory capacity";
    case StaticBasis::per_core:
      return "static, x cores";
  }
  return "";
}

std::string row(const std::string& component, const std::string& what, const Ranged& r, const Shown& as) {
  const auto show = [&](double v) {
    return as.unit.empty() ? significant(v) : with_prefix(v * as.scale, as.unit);
  };
  return fmt::format("| {} | {} | {} | {} to {} | {} | {} |\n", component, what, show(r.value), show(r.low),
                     show(r.high), r.confidence, r.source);
}

std::string component_rows(const energy::Component& c) {
  std::string text;
  for (const energy::Charge& charge : c.charges) {
    if (charge.by_bank.empty()) text += row(c.name, charge.action->name, charge.price, shown(*charge.action));
    for (const energy::BankPrice& b : charge.by_bank)
      text += row(c.name, fmt::format("{}, bank of {} KiB", charge.action->name, b.bank.count() / 1024),
                  b.price, shown(*charge.action));
  }
  for (const energy::StaticTerm& term : c.statics)
    text += row(c.name, static_text(term.basis), term.power, shown(term.basis));
  return text;
}

}  // namespace

std::string counter_reference() {
  std::string text = "| counter | counts | what | price x |\n|---|---|---|---|\n";
  for (const energy::Action& a : energy::actions())
    text += fmt::format("| {} | {} | {} | {} |\n", a.name, a.unit, a.description, basis_text(a.basis));
  return text;
}

std::string price_reference(const energy::Table& table) {
  std::string text = fmt::format("{}; covers {}.\n\n", table.technology, energy::to_string(table.covers));
  text += "| component | price | value | range | confidence | source |\n|---|---|---|---|---|---|\n";
  for (const energy::Component& c : table.components) text += component_rows(c);
  if (table.clock_tree)
    text += row("clock_tree", "share of the active energy", table.clock_tree->share, {"", 1});
  if (table.regulator_efficiency)
    text += row("regulator_loss", "efficiency", *table.regulator_efficiency, {"", 1});
  if (table.pe_overhead) text += row("inputs", "pe_overhead", *table.pe_overhead, {"", 1});
  if (table.wire_length) text += row("inputs", "wire_length", *table.wire_length, {"m", 1});
  if (table.logic_area) text += row("inputs", "logic_area", *table.logic_area, {"mm2", 1 / kMm2});
  return text;
}

}  // namespace edgenpu::report
