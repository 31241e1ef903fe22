#include "energy/price.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/rates.h"
#include "base/suggest.h"

namespace edgenpu::energy {

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const activity::CounterInfo* find_counter(const activity::Snapshot& snapshot, const std::string& name) {
  for (const activity::CounterInfo& c : snapshot.counters)
    if (c.name == name) return &c;
  return nullptr;
}

void require_covered(const Prices& prices, Scope scope) {
  if (scope <= prices.covers) return;
  throw InputError(prices.table, fmt::format("the energy table covers {}; power of scope {} was asked for",
                                             to_string(prices.covers), to_string(scope)));
}

ComponentEnergy clock_tree(const std::vector<Joules>& dynamic, const Prices& prices) {
  Joules fed{0};
  for (const std::size_t c : prices.clocked) fed += dynamic[c];
  return {"clock_tree", fed * (prices.clock_share / (1 - prices.clock_share)), Joules(0)};
}

// Everything up to soc+dram hangs behind the regulator; clocks are on the die.
bool is_regulated(const Prices& prices, std::size_t component) {
  return prices.components[component].scope <= Scope::soc_dram;
}

double loss_factor(const Prices& prices) {
  return 1 / prices.regulator_efficiency - 1;
}

// What `own` of each component comes to in a scope, with the regulator's loss.
template <class Own>
Watts fixed_power(const Prices& prices, Scope scope, Own own) {
  Watts sum{0};
  const bool regulated = prices.has_regulator && scope >= Scope::soc_dram;
  for (std::size_t i = 0; i < prices.components.size(); ++i) {
    if (prices.components[i].scope > scope) continue;
    const Watts power = own(prices.components[i]);
    sum += power;
    if (regulated && is_regulated(prices, i)) sum += power * loss_factor(prices);
  }
  return sum;
}

void bill(const activity::Snapshot& snapshot, const Prices& prices, Scope scope,
          std::vector<Joules>& by_component, std::vector<Joules>& by_operator) {
  for (std::size_t c = 0; c < snapshot.counters.size(); ++c) {
    if (!snapshot.counters[c].billable) continue;
    for (const Prices::Item& item : prices.items) {
      if (snapshot.counters[c].name != item.action->name) continue;
      if (prices.components[item.component].scope > scope) continue;
      std::int64_t total = 0;
      for (std::size_t op = 0; op < snapshot.values[c].size(); ++op) {
        const std::int64_t n = snapshot.values[c][op];
        total = checked_add(total, n);
        by_operator[op] += item.per_count * static_cast<double>(n);
      }
      by_component[item.component] += item.per_count * static_cast<double>(total);
    }
  }
}

}  // namespace

std::string Coverage::detail() const {
  if (ok()) return "every billable counter has a price and every price a counter";
  std::string text;
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += (text.empty() ? "" : "; ") + (what + join(names));
  };
  add("counted but without a price: ", unpriced);
  add("priced but never counted by this hardware: ", uncounted);
  add("counted though listed as not applicable: ", not_applicable);
  return text;
}

Coverage coverage(const activity::Snapshot& snapshot, const Prices& prices) {
  Coverage c;
  std::vector<std::string> priced;
  for (const Prices::Item& item : prices.items)
    if (!has(priced, item.action->name)) priced.push_back(item.action->name);
  for (const activity::CounterInfo& info : snapshot.counters) {
    if (!info.billable) continue;
    const bool excluded = has(prices.not_applicable, info.name);
    if (excluded && snapshot.total(info.name) != 0) c.not_applicable.push_back(info.name);
    if (!excluded && !has(priced, info.name)) c.unpriced.push_back(info.name);
  }
  for (const std::string& name : priced) {
    const activity::CounterInfo* info = find_counter(snapshot, name);
    if (!(info && info->billable) && !has(prices.not_applicable, name)) c.uncounted.push_back(name);
  }
  return c;
}

Joules StepEnergy::total() const {
  Joules sum{0};
  for (const ComponentEnergy& c : components) sum += c.total();
  return sum;
}

StepEnergy price(const activity::Snapshot& snapshot, const Prices& prices, Scope scope) {
  require_covered(prices, scope);
  StepEnergy step;
  step.scope = scope;
  step.operators.assign(snapshot.losses.size(), Joules(0));
  for (const auto& values : snapshot.values)
    step.operators.resize(std::max(step.operators.size(), values.size()), Joules(0));
  std::vector<Joules> dynamic(prices.components.size(), Joules(0));
  bill(snapshot, prices, scope, dynamic, step.operators);

  const Seconds time = to_seconds(snapshot.time);
  ComponentEnergy loss{"regulator_loss", Joules(0), Joules(0)};
  const auto feed = [&](const ComponentEnergy& c) {
    loss.dynamic += c.dynamic * loss_factor(prices);
    loss.fixed += c.fixed * loss_factor(prices);
  };
  for (std::size_t i = 0; i < prices.components.size(); ++i) {
    const Prices::Payer& payer = prices.components[i];
    if (payer.scope > scope) continue;
    step.components.push_back({payer.name, dynamic[i], payer.static_power * time});
    if (is_regulated(prices, i)) feed(step.components.back());
  }
  if (prices.has_clock_tree) {
    step.components.push_back(clock_tree(dynamic, prices));
    feed(step.components.back());
  }
  if (prices.has_regulator && scope >= Scope::soc_dram) step.components.push_back(loss);
  step.coverage = coverage(snapshot, prices);
  step.notes = prices.notes;
  return step;
}

StepEnergy price(const activity::Snapshot& snapshot, const Table& table, const Sizes& sizes, Scope scope) {
  return price(snapshot, prices_for(table, sizes), scope);
}

Watts idle_power(const Prices& prices, Scope scope) {
  require_covered(prices, scope);
  return fixed_power(prices, scope, [](const Prices::Payer& p) { return p.static_power + p.refresh; });
}

Watts gated_power(const Prices& prices, const Table& table, Scope scope) {
  require_covered(prices, scope);
  if (!table.gating) return idle_power(prices, scope);
  const Gating& gating = *table.gating;
  const auto share_left = [&](const Prices::Payer& p) -> const config::Ranged* {
    for (const auto& [name, share] : gating.left)
      if (name == p.name) return &share;
    return nullptr;
  };
  // Memory that sleeps refreshes itself; that is in its share.
  const bool asleep = std::any_of(prices.components.begin(), prices.components.end(), [&](const auto& p) {
    return (p.group == Class::memory || p.refresh > Watts(0)) && share_left(p);
  });
  return fixed_power(prices, scope, [&](const Prices::Payer& p) {
    const Watts refresh = asleep ? Watts(0) : p.refresh;
    if (const config::Ranged* share = share_left(p)) return p.static_power * share->value + refresh;
    return p.static_power - p.leakage * (1 - gating.leakage_left.value) + refresh;
  });
}

}  // namespace edgenpu::energy
