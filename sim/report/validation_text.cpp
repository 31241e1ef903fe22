#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "base/text.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/validation.h"

namespace edgenpu::report {

namespace {

using result::ErrorSummary;
using result::Validation;
using result::ValidationRow;
using Align = TextTable::Align;

std::string signed_percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.0f} %", *error * 100) : "-";
}

std::string plain_percent(const std::optional<double>& error) {
  return error ? fmt::format("{:.1f} %", *error * 100) : "-";
}

std::string unit_of(const std::string& metric) {
  if (metric == "ttft") return "ms";
  return metric == "energy" ? "J/token" : "tokens/s";
}

std::string mapped_onto(const ValidationRow& v) {
  return v.mapped ? fmt::format("{} {} {} {}", v.platform, v.model, v.quant,
                                v.metric == "decode" ? v.context : v.prompt)
                  : v.reason;
}

std::string rows_text(const Validation& all, const std::string& metric) {
  TextTable t({{"id", Align::left},
               {"device", Align::left},
               {"measured"},
               {"simulated"},
               {"error"},
               {"roof"},
               {"mapped onto, or why not", Align::left}});
  int rows = 0;
  for (const ValidationRow& v : all.rows) {
    if (v.metric != metric) continue;
    ++rows;
    t.add({v.id, one_line(v.device, 40), significant(v.measured),
           v.simulated ? significant(*v.simulated) : "-", signed_percent(v.error()),
           v.roof ? significant(*v.roof) : "-",
           mapped_onto(v) + (v.impossible() ? "  [published value is above the memory's roof]" : "")});
  }
  return rows ? fmt::format("{} ({})\n{}\n", metric, unit_of(metric), t.text()) : "";
}

std::string summaries_text(const Validation& all, const std::string& group, const char* title) {
  TextTable t({{title, Align::left},
               {"metric", Align::left},
               {"given"},
               {"compared"},
               {"mean |e|"},
               {"median |e|"},
               {"bias"},
               {"worst"},
               {"worst row", Align::left}});
  for (const ErrorSummary& s : all.summaries)
    if (s.group == group)
      t.add({s.name, s.metric, std::to_string(s.given), std::to_string(s.compared), plain_percent(s.mean),
             plain_percent(s.median), signed_percent(s.bias), signed_percent(s.worst), s.worst_id});
  return t.text() + "\n";
}

std::string not_mapped(const Validation& all) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const ValidationRow& v : all.rows)
    if (!v.mapped) reasons[v.reason].push_back(v.id + " (" + v.metric + ")");
  std::string text;
  for (const auto& [reason, ids] : reasons) {
    text += "  " + reason + ":";
    for (const std::string& id : ids) text += " " + id;
    text += "\n";
  }
  return text.empty() ? "" : "Not simulated, with the reason\n" + text + "\n";
}

}  // namespace

std::string text(const Validation& all) {
  std::string out;
  for (const char* metric : {"decode", "prefill", "ttft", "energy"}) out += rows_text(all, metric);
  out += not_mapped(all);
  out += summaries_text(all, "platform", "platform");
  out += summaries_text(all, "class", "class");
  out += summaries_text(all, "all", "all rows");
  for (const ValidationRow& v : all.rows)
    if (v.impossible())
      out +=
          fmt::format("impossible as published: {}: {} tokens/s measured, {} allowed by the memory's peak\n",
                      v.id, significant(v.measured), significant(*v.roof));
  out += fmt::format(
      "{} of {} rows mapped ({}); simulated rates above their roof: {}\n", all.mapped_rows, all.file_rows,
      percent(static_cast<double>(all.mapped_rows) / static_cast<double>(std::max(1LL, all.file_rows))),
      all.above_roof);
  for (const std::string& note : all.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace edgenpu::report
