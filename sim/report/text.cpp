#include "report/text.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

namespace {

using Align = TextTable::Align;
using result::StepResult;

constexpr int kBarWidth = 25;
constexpr std::size_t kTopOperators = 12;

// One line each, for readers who do not know the ledger.
constexpr const char* kLossMeaning[activity::kLosses] = {"data on the bus at peak rate",
                                                         "bus idle: memory refreshing",
                                                         "bus idle: a row closed or opened",
                                                         "bus idle: read/write turn",
                                                         "bus idle: latency, queues, imbalance",
                                                         "memory waits for compute",
                                                         "memory waits for an earlier operator",
                                                         "commands not issued yet",
                                                         "after the last transfer",
                                                         "memory waits for the CPU",
                                                         "to the CPU and back",
                                                         "the bus served another program"};

}  // namespace

std::string title(const StepResult& r) {
  const result::Inputs& in = r.inputs;
  std::string work = in.phase == "prefill" ? fmt::format("prefill of {} tokens", in.prompt) : in.phase;
  if (in.context > 0) work += fmt::format(", {} tokens cached", in.context);
  std::string text = fmt::format("{} {}, {}, batch {}, KV {}\n", one_line(in.model), one_line(in.quant), work,
                                 in.batch, in.kv_format);
  text += fmt::format("on {} ({} detail, {} repeat)\n", one_line(in.hardware), in.detail, in.repeat);
  if (!in.trace_file.empty()) text += fmt::format("trace {}\n", one_line(in.trace_file));
  const auto failed = std::count_if(r.checks.begin(), r.checks.end(), [](const auto& c) { return !c.ok; });
  if (failed)
    text += fmt::format("\n{} OF {} CHECKS FAILED: do not use these numbers; see Checks\n", failed,
                        r.checks.size());
  return text;
}

namespace {

std::string share_of_peak(const std::optional<double>& share) {
  return share ? percent(*share) + " of peak" : "no peak";
}

std::string headline(const StepResult& r) {
  const result::Metrics& m = r.metrics;
  const bool prefill = r.inputs.phase == "prefill";
  TextTable t({{"", Align::left}, {"", Align::left}, {"", Align::left}});
  t.add({prefill ? "Prompt" : "Throughput", significant(m.tokens_per_s) + " tokens/s",
         m.ttft_ms ? "first token after " + with_prefix(*m.ttft_ms * 1e-3, "s")
                   : with_prefix(m.ms_per_token * 1e-3, "s") + " per token"});
  t.add({"Roof", percent(r.roofline.fraction_of_roof),
         fmt::format(
             "of what {} allows at peak{}", r.roofline.roof,
             r.roofline.roof == "memory" && r.roofline.compute_roof_from_batch
                 ? fmt::format("; from batch {} on, compute is the roof", *r.roofline.compute_roof_from_batch)
                 : "")});
  if (m.energy_J_per_token) {
    t.add({"Energy", with_prefix(*m.energy_J_per_token, "J") + "/token",
           m.tokens_per_J ? significant(*m.tokens_per_J) + " tokens/J" : ""});
    if (m.edp_J_s) t.add({"Energy x delay", with_prefix(*m.edp_J_s, "J s"), "per token"});
    if (m.power_W) t.add({"Power", with_prefix(*m.power_W, "W"), "scope " + r.power_scope});
  } else {
    t.add({"Energy", "not modelled", ""});
  }
  t.add(
      {"DRAM read", with_prefix(static_cast<double>(m.dram_read_B), "B"), share_of_peak(m.dram_utilisation)});
  t.add({"DRAM written", with_prefix(static_cast<double>(m.dram_write_B), "B"), ""});
  t.add({"DRAM bursts", with_prefix(static_cast<double>(m.dram_transferred_B), "B"),
         with_prefix(static_cast<double>(m.dram_refetched_B), "B") + " fetched again"});
  t.add({"Matrix engines", m.matrix_utilisation ? percent(*m.matrix_utilisation) : "-", "of peak MACs"});
  if (m.area_mm2) t.add({"Area", significant(*m.area_mm2) + " mm2", ""});
  return t.text();
}

std::string bounds(const StepResult& r) {
  TextTable t({{"Bounds", Align::left}, {"tokens/s"}, {"reached"}});
  const auto add = [&](const char* name, const std::optional<double>& bound) {
    t.add({name, bound ? significant(*bound) : "none",
           bound && *bound > 0 ? percent(r.metrics.tokens_per_s / *bound) : ""});
  };
  add("memory at peak", r.roofline.memory_tokens_per_s);
  add("  less refresh", r.roofline.memory_less_refresh_tokens_per_s);
  add("  less refresh and row misses", r.roofline.memory_less_refresh_and_row_misses_tokens_per_s);
  add("compute at peak", r.roofline.compute_tokens_per_s);
  return t.text();
}

}  // namespace

std::string loss_table(const StepResult& r) {
  TextTable t({{"Time by cause", Align::left}, {"", Align::left}, {"time"}, {"share"}, {"", Align::left}});
  for (std::size_t i = 0; i < r.losses(); ++i) {
    const double share = r.total_s > 0 ? r.losses_s[i] / r.total_s : 0;
    t.add({activity::kLossNames[i], kLossMeaning[i], with_prefix(r.losses_s[i], "s"), percent(share),
           bar(share, kBarWidth)});
  }
  t.add({"total", "", with_prefix(r.total_s, "s"), "", ""});
  return t.text();
}

namespace {

std::string energy_table(const StepResult& r) {
  if (r.energy_J.empty()) return "";
  double total = 0;
  for (const result::NamedEnergy& e : r.energy_J) total += e.joules;
  std::vector<result::NamedEnergy> sorted = r.energy_J;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.joules > b.joules; });
  TextTable t(
      {{"Energy by component", Align::left}, {"energy"}, {"mean power"}, {"share"}, {"", Align::left}});
  const auto power = [&](double joules) {
    return r.total_s > 0 ? with_prefix(joules / r.total_s, "W") : "-";
  };
  for (const result::NamedEnergy& e : sorted) {
    const double share = total > 0 ? e.joules / total : 0;
    t.add({e.component, with_prefix(e.joules, "J"), power(e.joules), percent(share), bar(share, kBarWidth)});
  }
  t.add({"total (" + r.power_scope + ")", with_prefix(total, "J"), power(total), "", ""});
  return t.text();
}

std::string engine_table(const StepResult& r) {
  if (r.engines.empty()) return "";
  TextTable t(
      {{"Engines", Align::left}, {"busy"}, {"wait: data"}, {"wait: space"}, {"wait: dependency"}, {"idle"}});
  for (const result::Engine& e : r.engines) {
    std::vector<std::string> cells{e.name};
    for (const double s : e.seconds) cells.push_back(r.total_s > 0 ? percent(s / r.total_s) : "-");
    t.add(std::move(cells));
  }
  return t.text();
}

std::string main_losses(const result::OperatorResult& op) {
  const auto worst =
      std::max_element(op.losses_s.begin() + 1, op.losses_s.end());  // [0] is the transfer itself
  if (op.time_s <= 0 || *worst <= 0) return "";
  return fmt::format("{} {}", activity::kLossNames[worst - op.losses_s.begin()], percent(*worst / op.time_s));
}

}  // namespace

std::string operator_table(const StepResult& r) {
  if (r.operators.empty()) return "";
  std::vector<const result::OperatorResult*> sorted;
  for (const result::OperatorResult& op : r.operators) sorted.push_back(&op);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->time_s > b->time_s; });
  TextTable t({{"Operators by time", Align::left},
               {"kind", Align::left},
               {"count"},
               {"time"},
               {"share"},
               {"DRAM"},
               {"MACs"},
               {"energy"},
               {"main loss", Align::left}});
  const auto share = [&](double s) { return r.total_s > 0 ? percent(s / r.total_s) : "-"; };
  double rest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const result::OperatorResult& op = *sorted[i];
    if (i >= kTopOperators) {
      rest += op.time_s;
      continue;
    }
    t.add({op.name, op.runs_on.empty() ? op.kind : op.kind + " (" + op.runs_on + ")",
           std::to_string(op.count), with_prefix(op.time_s, "s"), share(op.time_s),
           with_prefix(static_cast<double>(op.dram_B), "B"), with_prefix(static_cast<double>(op.macs), ""),
           op.energy_J ? with_prefix(*op.energy_J, "J") : "-", main_losses(op)});
  }
  if (sorted.size() > kTopOperators)
    t.add({fmt::format("{} more", sorted.size() - kTopOperators), "", "", with_prefix(rest, "s"), share(rest),
           "", "", "", ""});
  return t.text();
}

namespace {

std::string check_table(const StepResult& r) {
  TextTable t({{"Checks", Align::left}, {"", Align::left}, {"", Align::left}});
  for (const result::Check& c : r.checks) t.add({c.ok ? "ok" : "FAILED", c.name, c.detail});
  return r.checks.empty() ? "" : t.text();
}

std::string simulation(const result::Simulation& s) {
  const bool whole = s.simulated_fraction == 1;
  const std::string rest = whole ? ""
                                 : fmt::format(", the rest extrapolated (time within {} by its own estimate)",
                                               percent(s.error_estimate));
  return fmt::format("  Simulated {} of the step in {} ({} CPU), {} events, {} of memory{}\n",
                     percent(s.simulated_fraction), with_prefix(s.wall_s, "s"), with_prefix(s.cpu_s, "s"),
                     s.events, with_prefix(static_cast<double>(s.peak_rss_B), "B"), rest);
}

}  // namespace

std::string notes(const StepResult& r) {
  if (r.notes.empty()) return "";
  std::string text = "  Notes\n";
  for (const std::string& note : r.notes) text += "  - " + note + "\n";
  return text;
}

std::string text(const StepResult& r) {
  std::string all = title(r);
  for (const std::string& part : {headline(r), bounds(r), loss_table(r), energy_table(r), engine_table(r),
                                  operator_table(r), check_table(r), notes(r), simulation(r.simulation)})
    if (!part.empty()) all += "\n" + part;
  return all;
}

}  // namespace edgenpu::report
