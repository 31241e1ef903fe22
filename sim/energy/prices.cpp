// From the table to joules per count and watts, for the sizes of the hardware.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "energy/price.h"

namespace edgenpu::energy {

namespace {

void note(Prices& prices, std::string text) {
  if (std::find(prices.notes.begin(), prices.notes.end(), text) == prices.notes.end())
    prices.notes.push_back(std::move(text));
}

double needed(const std::optional<config::Ranged>& input) {
  if (!input) throw InternalError("an energy table without an input that its prices use was accepted");
  return input->value;
}

std::string show(Bytes bytes) {
  if (bytes.count() % (1 << 20) == 0) return fmt::format("{} MiB", bytes.count() >> 20);
  if (bytes.count() % (1 << 10) == 0) return fmt::format("{} KiB", bytes.count() >> 10);
  return fmt::format("{} B", bytes.count());
}

// A smaller bank is not extrapolated to: its decoders and wires do not shrink with its cells.
constexpr int kSmallestPart = 4;

// Straight line in log(size), log(price) between the neighbours of `bank`, or the nearest two.
double at_bank(const Charge& charge, Bytes bank, Prices& prices) {
  const std::vector<BankPrice>& points = charge.by_bank;
  if (points.empty()) return charge.price.value;
  if (bank.count() <= 0) throw InternalError("the scratchpad's bank size is needed for its price");
  const BankPrice &first = points.front(), &last = points.back();
  const Bytes least(first.bank.count() / kSmallestPart);
  if (bank < first.bank || last.bank < bank)
    note(prices,
         fmt::format("{}: a bank of {} lies outside the priced sizes, {} to {}; the price is {}",
                     charge.action->name, show(bank), show(first.bank), show(last.bank),
                     bank < least ? "that of a bank of " + show(least) + ", extrapolated" : "extrapolated"));
  bank = std::max(bank, least);
  if (points.size() == 1) return first.price.value;
  std::size_t hi = 1;
  while (hi + 1 < points.size() && points[hi].bank < bank) ++hi;
  const BankPrice &a = points[hi - 1], &b = points[hi];
  if (bank == a.bank) return a.price.value;
  if (bank == b.bank) return b.price.value;
  const auto log_size = [](Bytes size) { return std::log(static_cast<double>(size.count())); };
  const double t = (log_size(bank) - log_size(a.bank)) / (log_size(b.bank) - log_size(a.bank));
  return std::exp(std::log(a.price.value) + t * (std::log(b.price.value) - std::log(a.price.value)));
}

// The prices of integer products hold for an accumulator of 32 bits, whose adder costs in proportion to its
// width.
double saved_by_accumulator(const Charge& charge, const Table& table, const Sizes& sizes, Prices& prices) {
  constexpr int kPriced = 32;
  if (sizes.accumulator_bits == kPriced) return 0;
  if (!table.accumulator_bit) {
    note(prices, fmt::format("{}: the table does not price the accumulator's width", charge.action->name));
    return 0;
  }
  return std::min(charge.price.value, (kPriced - sizes.accumulator_bits) * table.accumulator_bit->value);
}

Joules per_count(const Charge& charge, const Table& table, const Sizes& sizes, Prices& prices) {
  const double price = charge.price.value * charge.action->per_count;
  switch (charge.action->basis) {
    case Basis::each:
      return Joules(price);
    case Basis::pe_overhead:
      return Joules(price * needed(table.pe_overhead));
    case Basis::integer_pe:
      return Joules((price - saved_by_accumulator(charge, table, sizes, prices)) * needed(table.pe_overhead));
    case Basis::wire_length:
      return Joules(price * needed(table.wire_length));
    case Basis::bank_size:
      return Joules(at_bank(charge, sizes.scratchpad_bank, prices) * charge.action->per_count);
    case Basis::rank:
      return Joules(price * static_cast<double>(sizes.memory_rank.count()));
    case Basis::bank:
      return Joules(price * static_cast<double>(sizes.memory_rank.count()) /
                    static_cast<double>(sizes.banks_per_rank));
  }
  throw InternalError("unknown basis of a price");
}

double core_price_factor(const Table& table) {
  if (!table.conditions) return 1;
  const double ratio = table.voltage / table.conditions->voltage.value;
  return ratio * ratio;
}

double leakage_factor(const Table& table) {
  if (!table.conditions) return 1;
  const Conditions& c = *table.conditions;
  return std::pow(table.voltage / c.voltage.value, c.leakage_exponent.value) *
         std::exp2((table.temperature - c.temperature.value) / c.leakage_doubling.value);
}

Watts static_power(const StaticTerm& term, const Table& table, const Sizes& sizes) {
  switch (term.basis) {
    case StaticBasis::constant:
      return Watts(term.power.value);
    case StaticBasis::per_scratchpad:
      return Watts(term.power.value * static_cast<double>(sizes.scratchpad.count()));
    case StaticBasis::per_logic_area:
      return Watts(term.power.value * needed(table.logic_area));
    case StaticBasis::per_memory:
      return Watts(term.power.value * static_cast<double>(sizes.memory.count()));
    case StaticBasis::per_core:
      return Watts(term.power.value * static_cast<double>(sizes.cores));
  }
  throw InternalError("unknown basis of a static power");
}

Watts idle_refresh(const Prices::Item& item, const Sizes& sizes) {
  const std::string& counter = item.action->name;
  const double per_s = counter == "dram_refresh_ab"   ? sizes.refresh_ab_per_s
                       : counter == "dram_refresh_pb" ? sizes.refresh_pb_per_s
                                                      : 0;
  return Watts(item.per_count.count() * per_s);
}

Prices::Payer payer_of(const Component& component, const Table& table, const Sizes& sizes) {
  Prices::Payer p{component.name, component.scope, Watts(0), Watts(0), Watts(0), component.group};
  for (const StaticTerm& term : component.statics) {
    const bool leaks = is_leakage(term.basis);
    const Watts power =
        static_power(term, table, sizes) * (leaks && component.core_supply ? leakage_factor(table) : 1.0);
    p.static_power += power;
    if (leaks) p.leakage += power;
  }
  return p;
}

}  // namespace

bool is_leakage(StaticBasis basis) {
  return basis == StaticBasis::per_scratchpad || basis == StaticBasis::per_logic_area ||
         basis == StaticBasis::per_core;
}

bool is_absent(const Component& c, const Sizes& sizes) {
  const auto per_core = [](const auto& terms, auto basis) {
    return std::any_of(terms.begin(), terms.end(), [&](const auto& t) { return t.basis == basis; });
  };
  return sizes.cores == 0 &&
         (per_core(c.statics, StaticBasis::per_core) || per_core(c.areas, AreaBasis::per_core));
}

Prices prices_for(const Table& table, const Sizes& sizes) {
  if (sizes.banks_per_rank < 1) throw InternalError("a memory rank without banks cannot be priced");
  Prices p;
  p.table = table.position;
  p.covers = table.covers;
  p.not_applicable = table.not_applicable;
  for (std::size_t i = 0; i < table.components.size(); ++i) {
    const Component& c = table.components[i];
    if (is_absent(c, sizes)) continue;
    const std::size_t own = p.components.size();
    p.components.push_back(payer_of(c, table, sizes));
    const double factor = c.core_supply ? core_price_factor(table) : 1;
    for (const Charge& charge : c.charges) {
      p.items.push_back({charge.action, own, per_count(charge, table, sizes, p) * factor});
      p.components[own].refresh += idle_refresh(p.items.back(), sizes);
    }
    const bool clocked =
        table.clock_tree && std::count(table.clock_tree->of.begin(), table.clock_tree->of.end(), c.name);
    if (clocked) p.clocked.push_back(own);
  }
  p.has_clock_tree = table.clock_tree.has_value();
  if (table.clock_tree) p.clock_share = table.clock_tree->share.value;
  p.has_regulator = table.regulator_efficiency.has_value();
  if (table.regulator_efficiency) p.regulator_efficiency = table.regulator_efficiency->value;
  return p;
}

}  // namespace edgenpu::energy
