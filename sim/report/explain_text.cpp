#include <fmt/format.h>

#include "report/explain.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/text.h"

namespace edgenpu::report {

namespace {

using Align = TextTable::Align;
using result::Explanation;
using result::WhatIf;

std::string critical_path(const Explanation& e) {
  TextTable t({{"Critical path by resource", Align::left},
               {"", Align::left},
               {"time"},
               {"share"},
               {"", Align::left}});
  for (const result::ResourceTime& r : e.critical_path) {
    const double share = e.step.total_s > 0 ? r.seconds / e.step.total_s : 0;
    t.add({r.resource, r.meaning, with_prefix(r.seconds, "s"), percent(share), bar(share, 25)});
  }
  return t.text();
}

std::string change(const std::optional<double>& relative) {
  if (!relative) return "-";
  return std::abs(*relative) < 5e-5 ? "0" : fmt::format("{:+.2f} %", 100 * *relative);
}

void add_outcome(std::vector<std::string>& cells, const std::optional<WhatIf::Outcome>& o) {
  if (!o)
    cells.insert(cells.end(), {"-", "", "", ""});
  else if (!o->infeasible.empty())
    cells.insert(cells.end(), {o->value, "infeasible", "", ""});
  else
    cells.insert(cells.end(),
                 {o->value, change(o->tokens_per_s), change(o->energy_J_per_token), change(o->edp_J_s)});
}

std::string what_if(const Explanation& e) {
  TextTable t({{"What if", Align::left},
               {"now"},
               {"-10 %"},
               {"tokens/s"},
               {"J/token"},
               {"EDP"},
               {"+10 %"},
               {"tokens/s"},
               {"J/token"},
               {"EDP"},
               {"twice as good"},
               {"tokens/s"}});
  for (const WhatIf& w : e.what_if) {
    std::vector<std::string> cells{w.path, w.value};
    add_outcome(cells, w.less);
    add_outcome(cells, w.more);
    cells.push_back(w.relaxed ? w.relaxed->value : "-");
    cells.push_back(w.relaxed && w.relaxed->infeasible.empty() ? change(w.relaxed->tokens_per_s) : "");
    t.add(std::move(cells));
  }
  return t.text();
}

std::string matrix_limits(const result::StepResult& r) {
  double total = 0;
  for (const result::NamedCount& c : r.counts)
    if (c.name.rfind("matrix_limit_", 0) == 0) total += static_cast<double>(c.value);
  if (total == 0) return "";
  TextTable t({{"Matrix engines limited by", Align::left}, {"cycles"}, {"share"}});
  for (const result::NamedCount& c : r.counts)
    if (c.name.rfind("matrix_limit_", 0) == 0)
      t.add({c.name.substr(13), with_prefix(static_cast<double>(c.value), ""),
             percent(static_cast<double>(c.value) / total)});
  return t.text();
}

}  // namespace

std::string text(const Explanation& e) {
  std::string all = title(e.step);
  all += fmt::format("\n  {} tokens/s. {}\n", significant(e.step.metrics.tokens_per_s), e.verdict);
  for (const std::string& part : {critical_path(e), loss_table(e.step), matrix_limits(e.step),
                                  operator_table(e.step), what_if(e), notes(e.step)})
    if (!part.empty()) all += "\n" + part;
  return all;
}

}  // namespace edgenpu::report
