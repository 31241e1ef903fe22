#include "report/platform_table.h"

#include <fmt/format.h>

#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

namespace {

using result::MeasuredRate;
using result::PlatformCell;
using result::PlatformRow;
using result::PlatformTable;
using Align = TextTable::Align;

std::string measured_text(const PlatformCell& cell) {
  std::string all;
  for (const MeasuredRate& m : cell.measured)
    all += fmt::format("{}{} ({}, {})", all.empty() ? "" : "; ", significant(m.tokens_per_s), m.quant, m.id);
  return all.empty() ? "-" : all;
}

std::string rate_or_dash(double value) {
  return value > 0 ? significant(value) : "-";
}

}  // namespace

std::string text(const PlatformTable& table) {
  TextTable t({{"platform", Align::left},
               {"model", Align::left},
               {"format", Align::left},
               {"tokens/s"},
               {"roof"},
               {"J/token"},
               {"EDP J s"},
               {"article"},
               {"measured on this hardware, tokens/s", Align::left}});
  for (const PlatformRow& row : table.rows)
    for (const PlatformCell& c : row.cells)
      t.add({row.platform, c.model, c.quant, c.figures ? rate_or_dash(c.figures->tokens_per_s) : "-",
             c.figures ? rate_or_dash(c.figures->roof_tokens_per_s) : "-",
             c.figures ? significant(c.figures->J_per_token) : "-",
             c.figures ? significant(c.figures->edp_J_s) : "-", rate_or_dash(c.article_tokens_per_s),
             c.figures ? measured_text(c) : c.figures.reason()});
  return fmt::format(
      "decode, {} tokens cached, simulated; J/token of SoC and DRAM. The measured rows have contexts of "
      "their "
      "own\n\n{}",
      table.context, t.text());
}

result::Table table(const PlatformTable& table) {
  result::Table t{{"platform", "model", "quant", "runtime", "tokens_per_s", "roof_tokens_per_s",
                   "J_per_token", "edp_J_s", "article_tokens_per_s", "measured", "reason"},
                  {}};
  for (const PlatformRow& row : table.rows)
    for (const PlatformCell& c : row.cells) {
      std::vector<result::Cell> cells = {row.platform, c.model, c.quant, c.runtime};
      if (const result::PlatformFigures* f = c.figures ? &*c.figures : nullptr)
        cells.insert(cells.end(), {f->tokens_per_s, f->roof_tokens_per_s, f->J_per_token, f->edp_J_s});
      else
        cells.resize(cells.size() + 4);
      cells.emplace_back();
      if (c.article_tokens_per_s > 0) cells.back() = c.article_tokens_per_s;
      cells.emplace_back();
      if (!c.measured.empty()) cells.back() = measured_text(c);
      cells.emplace_back(c.figures.reason());
      t.rows.push_back(std::move(cells));
    }
  return t;
}

}  // namespace edgenpu::report
