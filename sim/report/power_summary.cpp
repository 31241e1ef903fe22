// power.svg and summary.md.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/rates.h"
#include "energy/dram_energy.h"
#include "energy/split.h"
#include "report/chart.h"
#include "report/numbers.h"
#include "report/power.h"
#include "report/uncertainty.h"

namespace edgenpu::report {

namespace {

using energy::PowerTrace;
using energy::StepEnergy;

constexpr std::int64_t kColumns = 450;

double seconds(Femtoseconds t) {
  return to_seconds(t).count();
}

std::string watts(Watts w) {
  return with_prefix(w.count(), "W");
}

std::string title_of(const StepPower& step) {
  const result::Inputs& in = step.result.inputs;
  const std::string work = in.phase == "prefill" ? fmt::format("prefill of {} tokens", in.prompt)
                                                 : fmt::format("decode at {} tokens", in.context);
  return fmt::format("{} {}, {}, on {}", in.model, in.quant, work, in.hardware);
}

std::string headline(const StepPower& step, const PowerTrace& files) {
  const result::Metrics& m = step.result.metrics;
  const double joules = step.energy.total().count(), time = step.result.total_s;
  std::string text = fmt::format("# Power: {}\n\n", title_of(step));
  text += fmt::format(
      "Scope {}. One step takes {} and {}: {} on average, {} a token", energy::to_string(step.energy.scope),
      with_prefix(time, "s"), with_prefix(joules, "J"), with_prefix(joules / time, "W"),
      with_prefix(joules * time * m.tokens_per_s > 0 ? joules / (time * m.tokens_per_s) : 0, "J"));
  text +=
      fmt::format(".\nEvery layer was simulated; recorded in windows of {}, written in windows of {}{}.\n\n",
                  with_prefix(seconds(step.components.window), "s"), with_prefix(seconds(files.window), "s"),
                  files.time > step.components.time
                      ? fmt::format(", {} steps end to end", files.time / step.components.time)
                      : "");
  for (const std::string& note : step.result.notes) text += "- " + note + "\n";
  if (!step.result.notes.empty()) text += "\n";
  return text;
}

std::string block_table(const StepPower& step) {
  const PowerTrace& t = step.by_block;
  std::string text =
      "## Blocks\n\n| block | scope | area mm2 (low to high) | energy | mean power | peak in one window | "
      "mean density |\n|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < t.names.size(); ++i) {
    const energy::Block& b = step.blocks[i];
    Watts peak{0};
    for (std::size_t w = 0; w < t.size(); ++w)
      peak = std::max(peak, t.power(i, w), [](Watts a, Watts c) { return a < c; });
    const double mean = t.total(i).count() / seconds(t.time), mm2 = b.area.value * 1e6;
    text += fmt::format("| {} | {} | {} ({} to {}) | {} | {} | {} | {} W/mm2 |\n", b.name,
                        energy::to_string(b.scope), significant(mm2), significant(b.area.low * 1e6),
                        significant(b.area.high * 1e6), with_prefix(t.total(i).count(), "J"),
                        with_prefix(mean, "W"), watts(peak), significant(mean / mm2));
  }
  const energy::Area die = energy::die_area(step.blocks);
  text += fmt::format(
      "\nThe die: {} mm2 ({} to {}). Leakage of logic is priced on the table's input `logic_area`, which "
      "covers the whole die and is not changed by these areas.\n\n",
      significant(die.value * 1e6), significant(die.low * 1e6), significant(die.high * 1e6));
  return text;
}

std::string component_table(const StepPower& step) {
  std::string text =
      "## Components\n\n| component | by counts | static x time | share |\n|---|---|---|---|\n";
  const double all = step.energy.total().count();
  for (const energy::ComponentEnergy& c : step.energy.components)
    text += fmt::format("| {} | {} | {} | {} |\n", c.component, with_prefix(c.dynamic.count(), "J"),
                        with_prefix(c.fixed.count(), "J"), percent(c.total().count() / all));
  const energy::Split split = energy::split(step.energy, step.prices);
  text += "\nBy what it is for (the regulator's loss in proportion):";
  for (std::size_t i = 0; i < split.size(); ++i)
    if (split[i] > 0)
      text += fmt::format("{} {} {}", i ? "," : "", energy::class_names()[i], percent(split[i]));
  return text + ".\n\n";
}

std::string rail_table(const StepPower& step) {
  std::map<std::string, double> rails;
  for (const energy::Component& c : step.table.components)
    for (const energy::ComponentEnergy& e : step.energy.components)
      if (e.component == c.name && !c.rail.empty()) rails[c.rail] += e.total().count();
  if (rails.empty()) return "";
  std::string text = "## Rails\n\n| rail | mean power |\n|---|---|\n";
  for (const auto& [rail, joules] : rails)
    text += fmt::format("| {} | {} |\n", rail, with_prefix(joules / step.result.total_s, "W"));
  return text + "\n";
}

// The memory by the prices of its own part, which keep core and IO apart; the platform's table has them as
// one.
std::string dram_table(const StepPower& step) {
  const config::Value* memory = step.tree.find("memory");
  const config::Value* section = memory ? memory->find("energy") : nullptr;
  if (!section) return "";
  Diagnostics out;
  const energy::DramPrices prices = energy::read_dram_prices(*section, out);
  out.throw_if_any();
  energy::DramActivity a;
  a.read_bits = step.run.total("dram_read_bits");
  a.write_bits = step.run.total("dram_write_bits");
  a.activates = step.run.total("dram_activate");
  a.refresh_ab = step.run.total("dram_refresh_ab");
  a.refresh_pb = step.run.total("dram_refresh_pb");
  a.rank = step.sizes.memory_rank;
  a.banks = static_cast<int>(step.sizes.banks_per_rank);
  const auto ranks =
      static_cast<double>(step.sizes.memory.count()) / static_cast<double>(step.sizes.memory_rank.count());
  a.active_standby = to_seconds(step.run.time) * ranks;
  std::string text =
      "## DRAM taken apart\n\nBy the memory part's own prices (hw_configs/memory), all ranks in active "
      "standby; what "
      "the platform's table bills as device and standby. `interface` is PHY and controller: no source tells "
      "them "
      "apart.\n\n| part | energy | mean power |\n|---|---|---|\n";
  for (const energy::DramEnergyPart& p : energy::dram_energy(prices, a))
    text += fmt::format("| {} | {} | {} |\n", p.component, with_prefix(p.energy.count(), "J"),
                        with_prefix(p.energy.count() / step.result.total_s, "W"));
  return text + "\n";
}

std::string peak_table(const StepPower& step) {
  std::string text =
      "## Peak and average by window\n\nThe average over the step is the same for every window; the peak is "
      "that of "
      "the worst aligned window.\n\n| window | peak | over average | starts at |\n|---|---|---|---|\n";
  for (const energy::Peak& p : energy::peaks(step.components))
    text += fmt::format("| {} | {} | x {} | {}{} |\n", with_prefix(seconds(p.window), "s"), watts(p.peak),
                        significant(p.peak.count() / p.mean.count()), with_prefix(p.at_s, "s"),
                        p.repeated ? ", the step repeated without a pause" : "");
  return text + "\n";
}

// With the range that the table gives for what gating leaves.
std::string gated_row(const StepPower& step, energy::Scope scope) {
  const auto power = [&](double config::Ranged::*end) {
    energy::Table table = step.table;
    table.gating->leakage_left.value = step.table.gating->leakage_left.*end;
    for (auto& [name, share] : table.gating->left) share.value = share.*end;
    return watts(energy::gated_power(step.prices, table, scope));
  };
  return fmt::format("| gated | {} ({} to {}) |\n", power(&config::Ranged::value),
                     power(&config::Ranged::low), power(&config::Ranged::high));
}

std::string state_table(const StepPower& step) {
  const energy::Scope scope = step.energy.scope;
  std::string text = fmt::format("## States\n\n| state | power |\n|---|---|\n| working, this step | {} |\n",
                                 watts(step.energy.total() / to_seconds(step.run.time)));
  text += fmt::format("| idle: nothing moves, supplies on, memory refreshed | {} |\n",
                      watts(energy::idle_power(step.prices, scope)));
  if (step.table.gating) text += gated_row(step, scope);
  if (step.table.conditions && !step.table.operating_points.empty()) {
    text +=
        "\n| operating point | clock | voltage | energy of an operation on the core supply | its power at "
        "full rate |\n|---|---|---|---|---|\n";
    for (const energy::OperatingPoint& p : step.table.operating_points) {
      const double v = p.voltage / step.table.voltage;
      const double f = static_cast<double>(p.clock.count()) / static_cast<double>(step.clock.count());
      text += fmt::format("| {} | {} | {} V | x {} | x {} |\n", p.name,
                          with_prefix(static_cast<double>(p.clock.count()), "Hz"), significant(p.voltage),
                          significant(v * v, 4), significant(v * v * f, 4));
    }
  }
  return text + "\n";
}

constexpr const char* kFiles = R"(## Files

| file | what its numbers mean |
|---|---|
| `power.csv` | watts of each block, the mean of its window; power x duration_s sums to the energy above |
| `power.flp`, `power.ptrace`, `hotspot.config` | HotSpot: metres; watts per interval (`-sampling_intvl`); the last interval carries the joules of a shorter window |
| `power.3dice.flp`, `power.stk` | 3D-ICE: micrometres; watts per slot, as above |
| `power.vcd` | watts as reals; the state in which each engine spent most of the recorded window (0 busy, 1 waits for data, 2 for space, 3 for another unit, 4 idle) |
| `action_counts.yaml`, `ERT.yaml` | Accelergy: counts of the step x picojoules; `leak` is static power per clock cycle |
| `power.upf` | supplies, domains and power states of the operating points, idle and gated |
| `dram_commands.chN.csv` | if asked for: DRAM commands of channel N for DRAMPower, the first of the step, at burst detail |
| `power.svg` | the picture of `power.csv` |
| `uncertainty.csv`, `tornado.svg` | if asked for: ranges of the results, and what each uncertain input does to J/token |

Counts that take time (a product, a transfer) are spread evenly over the time that they take. Static power flows all
the time. Clocks and the regulator's loss follow what they feed within each window.

## Not modelled

Current within a clock cycle, di/dt and voltage droop; data-dependent switching; wake-up energy of power gates; DRAM
power-down between bursts; temperature feeding back into leakage within the step (set
`energy.operating_point.temperature`); differences between equal blocks (all matrix engines are one block); a real
layout: unless a floorplan was given, blocks were packed from their areas.
)";

}  // namespace

std::string power_svg(const PowerTrace& trace, const std::string& title) {
  const Femtoseconds window(
      std::max<std::int64_t>(trace.window.count(), ceil_div(trace.time.count(), kColumns)));
  const PowerTrace t = window > trace.window ? energy::resample(trace, window) : trace;
  std::vector<Series> series;
  std::vector<std::size_t> order(t.names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return t.total(a) > t.total(b); });
  for (const std::size_t i : order) {
    Series s{t.names[i], {}};
    for (std::size_t w = 0; w < t.size(); ++w) s.values.push_back(t.power(i, w).count());
    series.push_back(std::move(s));
  }
  return stacked_area(title, "ms", seconds(t.time) * 1e3, "W", series);
}

std::string power_summary(const StepPower& step, const PowerFiles& files) {
  return headline(step, files.trace) + peak_table(step) + block_table(step) + component_table(step) +
         dram_table(step) + rail_table(step) + state_table(step) +
         (files.uncertainty ? uncertainty_section(*files.uncertainty) : "") + kFiles;
}

std::vector<PowerFile> power_files(const StepPower& step, const PowerFiles& files) {
  const PowerTrace& t = files.trace;
  std::vector<PowerFile> all = {{"power.csv", power_csv(t)},
                                {"power.flp", hotspot_flp(files.plan)},
                                {"power.ptrace", hotspot_ptrace(t)},
                                {"hotspot.config", hotspot_config(t, files.plan)},
                                {"power.3dice.flp", ice_floorplan(t, files.plan)},
                                {"power.stk", ice_stack(t, files.plan)},
                                {"power.vcd", power_vcd(step, t)},
                                {"action_counts.yaml", accelergy_counts(step)},
                                {"ERT.yaml", accelergy_ert(step)},
                                {"power.upf", power_upf(step)},
                                {"power.svg", power_svg(t, title_of(step))}};
  if (files.uncertainty) {
    all.push_back({"uncertainty.csv", uncertainty_csv(*files.uncertainty)});
    all.push_back({"tornado.svg", uncertainty_tornado(*files.uncertainty, title_of(step))});
  }
  all.push_back({"summary.md", power_summary(step, files)});
  return all;
}

}  // namespace edgenpu::report
