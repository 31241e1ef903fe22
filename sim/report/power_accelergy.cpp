// Accelergy's action counts and energy reference table (version 0.4): counts x energies are the step's
// joules.
//
// Static power is the action `leak`, once a clock cycle; clocks and regulator, which are shares of what they
// feed, stand as components with an action for each that they follow.
#include <fmt/format.h>

#include "base/rates.h"
#include "report/power.h"

namespace edgenpu::report {

namespace {

struct ActionRow {
  std::string component, action;
  std::int64_t count = 0;
  double picojoules = 0;  // of one
};

bool is_clocked(const energy::Prices& p, std::size_t component) {
  for (const std::size_t c : p.clocked)
    if (c == component) return true;
  return false;
}

std::vector<ActionRow> rows_of(const StepPower& step) {
  const energy::Prices& p = step.prices;
  const double clocks = p.has_clock_tree ? p.clock_share / (1 - p.clock_share) : 0;
  const bool regulated = p.has_regulator && step.energy.scope >= energy::Scope::soc_dram;
  const double loss = regulated ? 1 / p.regulator_efficiency - 1 : 0;
  const std::int64_t cycles = cycle_at_or_after(step.run.time, step.clock).count();
  std::vector<ActionRow> own, tree, regulator;
  const auto add = [&](std::size_t component, const std::string& action, std::int64_t count, double pj,
                       bool dynamic) {
    const energy::Prices::Payer& payer = p.components[component];
    own.push_back({payer.name, action, count, pj});
    const double clock = dynamic && is_clocked(p, component) ? pj * clocks : 0;
    const std::string name = payer.name + "_" + action;
    if (clock > 0) tree.push_back({"clock_tree", name, count, clock});
    if (loss > 0 && payer.scope <= energy::Scope::soc_dram)
      regulator.push_back({"regulator_loss", name, count, (pj + clock) * loss});
  };
  for (std::size_t c = 0; c < p.components.size(); ++c) {
    if (p.components[c].scope > step.energy.scope) continue;
    for (const energy::Prices::Item& item : p.items)
      if (item.component == c)
        add(c, item.action->name, step.run.total_if_declared(item.action->name).value_or(0),
            item.per_count.count() * 1e12, true);
    // Per cycle of the whole cycles, so that the product is power x time.
    const double leak = (p.components[c].static_power * to_seconds(step.run.time)).count() * 1e12 /
                        static_cast<double>(cycles);
    if (leak > 0) add(c, "leak", cycles, leak, false);
  }
  own.insert(own.end(), tree.begin(), tree.end());
  own.insert(own.end(), regulator.begin(), regulator.end());
  return own;
}

}  // namespace

std::string accelergy_counts(const StepPower& step) {
  std::string text = "action_counts:\n  version: 0.4\n  subtree:\n  - name: system\n    local:\n", last;
  for (const ActionRow& r : rows_of(step)) {
    if (r.component != last) text += fmt::format("    - name: {}\n      action_counts:\n", r.component);
    last = r.component;
    text += fmt::format("      - name: {}\n        counts: {}\n", r.action, r.count);
  }
  return text;
}

std::string accelergy_ert(const StepPower& step) {
  std::string text = "# Picojoules per action.\nERT:\n  version: 0.4\n  tables:\n", last;
  for (const ActionRow& r : rows_of(step)) {
    if (r.component != last) text += fmt::format("  - name: system.{}\n    actions:\n", r.component);
    last = r.component;
    text +=
        fmt::format("    - name: {}\n      arguments: {{}}\n      energy: {:.9g}\n", r.action, r.picojoules);
  }
  return text;
}

}  // namespace edgenpu::report
