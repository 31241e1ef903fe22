#include <algorithm>
#include <fmt/format.h>

#include "report/chart.h"
#include "report/compare.h"
#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

namespace {

using Align = TextTable::Align;
using result::Comparison;
using result::ComparisonRow;

constexpr const char* kUnits[] = {"tokens/s", "ms/token", "J/token", "tokens/J", "J s"};

std::string cell(const std::optional<double>& value) {
  return value ? significant(*value) : "-";
}

std::string title(const Comparison& c) {
  if (c.rows.empty()) return "no rows\n";
  const ComparisonRow& r = c.rows.front();
  std::string text = fmt::format("{} {}, decode, {} tokens cached; power scope {}\n", r.model, r.quant,
                                 r.context, c.power_scope);
  if (!c.source.empty()) text += "published: " + c.source + "\n";
  return text;
}

std::string simulated_table(const Comparison& c) {
  std::vector<TextTable::Column> columns = {{"Simulated", Align::left},
                                            {"tokens/s"},
                                            {"ms/token"},
                                            {"J/token"},
                                            {"tokens/J"},
                                            {"EDP J s"},
                                            {"J at TDP"},
                                            {"GB/s"},
                                            {"of peak"},
                                            {"roof"},
                                            {"main loss", Align::left}};
  const bool normalised = c.normalise != "none";
  if (normalised) columns.push_back({c.normalise == "bandwidth" ? "tokens/s per GB/s" : "tokens/s per W"});
  TextTable t(columns);
  for (const ComparisonRow& r : c.rows) {
    if (!r.step) {
      std::vector<std::string> cells{r.platform, "infeasible"};
      cells.resize(columns.size(), "");
      t.add(cells);
      continue;
    }
    const result::Metrics& m = r.step->metrics;
    const auto worst = std::max_element(r.step->losses_s.begin() + 1, r.step->losses_s.end());
    std::vector<std::string> cells = {
        r.platform,
        significant(m.tokens_per_s),
        significant(m.ms_per_token),
        cell(m.energy_J_per_token),
        cell(m.tokens_per_J),
        cell(m.edp_J_s),
        r.at_tdp ? significant(r.at_tdp->J_per_token) : "-",
        significant(r.used_B_per_s * 1e-9),
        m.dram_utilisation ? percent(*m.dram_utilisation) : "-",
        cell(r.step->roofline.memory_tokens_per_s),
        fmt::format("{} {}", activity::kLossNames[static_cast<std::size_t>(worst - r.step->losses_s.begin())],
                    percent(*worst / r.step->total_s))};
    if (normalised) cells.push_back(cell(r.normalised));
    t.add(cells);
  }
  return t.text();
}

std::string published_table(const Comparison& c) {
  TextTable t({{"Published", Align::left},
               {"metric", Align::left},
               {"published"},
               {"simulated"},
               {"bound"},
               {"verdict", Align::left},
               {"factor"},
               {"", Align::left}});
  bool any = false;
  for (const ComparisonRow& r : c.rows)
    for (std::size_t i = 0; i < result::kPublishedMetrics.size(); ++i) {
      const auto it = r.published.find(result::kPublishedMetrics[i]);
      if (it == r.published.end()) continue;
      any = true;
      const result::PublishedCell& p = it->second;
      t.add({i == 0 ? r.platform : "", kUnits[i], significant(p.value), cell(p.simulated), cell(p.bound),
             result::kVerdictNames[static_cast<std::size_t>(p.verdict.kind)], significant(p.verdict.factor),
             p.verdict.detail});
    }
  return any ? t.text() +
                   "  Energies are held against the simulated throughput at TDP, which is what the table "
                   "took for power.\n"
             : "";
}

std::string ratio_table(const Comparison& c) {
  if (c.npu_to_gpu.empty()) return "";
  TextTable t({{"NPU : GPU", Align::left}, {"simulated"}, {"published"}});
  for (const result::Ratio& r : c.npu_to_gpu) t.add({r.metric, cell(r.simulated), cell(r.published)});
  return t.text();
}

std::string split_table(const Comparison& c) {
  std::vector<TextTable::Column> columns = {{"Energy by use", Align::left}};
  for (const ComparisonRow& r : c.rows) {
    if (!r.step || columns.size() > 1) continue;
    for (const auto& [use, share] : r.step->energy_split) columns.push_back({use});
  }
  if (columns.size() == 1) return "";
  TextTable t(columns);
  for (const ComparisonRow& r : c.rows) {
    if (!r.step || r.step->energy_split.size() + 1 != columns.size()) continue;
    std::vector<std::string> cells = {r.platform};
    for (const auto& [use, share] : r.step->energy_split) cells.push_back(share > 0 ? percent(share) : "-");
    t.add(cells);
  }
  return t.text() + "  A CPU's or GPU's cycle holds fetch, decode, caches and arithmetic together: cores.\n";
}

std::string range(const result::Percentiles& p) {
  return fmt::format("{} ({} to {})", significant(p.nominal), significant(p.p5), significant(p.p95));
}

std::string range_table(const Comparison& c) {
  if (c.edp_odds.empty()) return "";
  TextTable t({{"Ranges, 5 to 95 %", Align::left},
               {"tokens/s"},
               {"J/token"},
               {"W"},
               {"EDP J s"},
               {"most of the variance of J/token", Align::left}});
  for (const ComparisonRow& r : c.rows) {
    if (!r.uncertainty) continue;
    std::vector<std::string> cells = {r.platform};
    for (std::size_t m = 0; m < 4; ++m) cells.push_back(range(r.uncertainty->metrics[m]));
    std::string inputs;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, r.uncertainty->inputs.size()); ++i)
      inputs += fmt::format("{}{} {}", i ? ", " : "", r.uncertainty->inputs[i].name,
                            percent(r.uncertainty->inputs[i].energy_share));
    cells.push_back(inputs);
    t.add(cells);
  }
  TextTable odds({{"Probability of the smaller EDP", Align::left}, {"", Align::left}, {""}});
  for (const result::EdpOdds& o : c.edp_odds)
    odds.add({c.rows[o.a].platform, "against " + c.rows[o.b].platform, percent(o.probability)});
  return t.text() + "\n" + odds.text();
}

std::string notes(const Comparison& c) {
  std::string text;
  for (const std::string& note : c.notes) text += "  - " + note + "\n";
  for (const ComparisonRow& r : c.rows) {
    if (!r.infeasible.empty()) text += "  - " + r.platform + ": " + r.infeasible + "\n";
    if (!r.step) continue;
    for (const result::Check& check : r.step->checks)
      if (!check.ok)
        text += fmt::format("  - {}: CHECK FAILED: {}: {}\n", r.platform, check.name, check.detail);
    for (const std::string& note : r.step->notes) text += "  - " + r.platform + ": " + note + "\n";
  }
  return text.empty() ? "" : "  Notes\n" + text;
}

}  // namespace

std::string split_svg(const Comparison& c) {
  std::vector<std::string> platforms;
  std::vector<Series> series;
  for (const ComparisonRow& r : c.rows) {
    if (!r.step || r.step->energy_split.empty()) continue;
    platforms.push_back(r.platform);
    for (std::size_t i = 0; i < r.step->energy_split.size(); ++i) {
      if (series.size() <= i) series.push_back({r.step->energy_split[i].first, {}});
      series[i].values.push_back(r.step->energy_split[i].second);
    }
  }
  return stacked_bars("Energy of a token by what it is for", platforms, series);
}

std::string text(const Comparison& c) {
  std::string all = title(c);
  for (const std::string& part :
       {simulated_table(c), published_table(c), ratio_table(c), split_table(c), range_table(c), notes(c)})
    if (!part.empty()) all += "\n" + part;
  return all;
}

}  // namespace edgenpu::report
