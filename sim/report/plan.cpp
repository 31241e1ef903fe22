#include "report/plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/json_parts.h"
#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

namespace {

using Align = TextTable::Align;
using result::Cell;
using result::Table;

const Cell& cell(const Table& t, std::size_t row, const std::string& column) {
  const auto found = std::find(t.columns.begin(), t.columns.end(), column);
  return t.rows[row][static_cast<std::size_t>(found - t.columns.begin())];
}

std::string text(const Table& t, std::size_t row, const std::string& column) {
  return result::to_text(cell(t, row, column));
}

std::int64_t whole(const Table& t, std::size_t row, const std::string& column) {
  const auto* value = std::get_if<std::int64_t>(&cell(t, row, column));
  return value ? *value : 0;
}

std::string bytes(const Table& t, std::size_t row, const std::string& column) {
  const std::int64_t value = whole(t, row, column);
  return value == 0 ? "" : with_prefix(static_cast<double>(value), "B");
}

// "512 x 704 x 256"
std::string shape(const Table& t, std::size_t row, const std::string& before) {
  std::string text = report::text(t, row, before + "m");
  for (const char* axis : {"n", "k"})
    if (const std::string more = report::text(t, row, before + axis); !more.empty()) text += " x " + more;
  return text;
}

// Its operand pair, or where it runs instead of the engines.
std::string arithmetic(const Table& t, std::size_t row) {
  const std::string elsewhere = text(t, row, "runs_on");
  return elsewhere.empty() ? text(t, row, "operands") : elsewhere;
}

std::string work(const Table& t) {
  TextTable table({{"operator", Align::left},
                   {"layers", Align::left},
                   {"m x n x k"},
                   {"order", Align::left},
                   {"tile"},
                   {"tiles"},
                   {"split", Align::left},
                   {"operands", Align::left},
                   {"inputs", Align::left},
                   {"weights", Align::left},
                   {"results", Align::left},
                   {"once"},
                   {"again"},
                   {"spilled"},
                   {"scratchpad"}});
  for (std::size_t i = 0; i < t.rows.size(); ++i)
    table.add({text(t, i, "operator"), text(t, i, "layers"), shape(t, i, ""), text(t, i, "order"),
               shape(t, i, "tile_"), text(t, i, "tiles"), text(t, i, "split"), arithmetic(t, i),
               text(t, i, "inputs"), text(t, i, "weights"), text(t, i, "results"), bytes(t, i, "once_B"),
               bytes(t, i, "again_B"), bytes(t, i, "spill_B"), bytes(t, i, "scratchpad_B")});
  return table.text();
}

std::string choices(const Table& t) {
  TextTable table({{"operator", Align::left},
                   {"layers", Align::left},
                   {"order", Align::left},
                   {"DRAM"},
                   {"cycles"},
                   {"next best", Align::left},
                   {"tile"},
                   {"DRAM"},
                   {"cycles"}});
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    if (text(t, i, "next_order").empty()) continue;
    table.add({text(t, i, "operator"), text(t, i, "layers"), text(t, i, "order"), bytes(t, i, "dram_B"),
               text(t, i, "cycles"), text(t, i, "next_order"), shape(t, i, "next_tile_"),
               bytes(t, i, "next_dram_B"), text(t, i, "next_cycles")});
  }
  return table.text();
}

std::string total(const Table& t, const char* column) {
  double sum = 0;
  for (std::size_t i = 0; i < t.rows.size(); ++i)
    sum += static_cast<double>(whole(t, i, column)) * static_cast<double>(whole(t, i, "operators"));
  return with_prefix(sum, "B", 4);
}

}  // namespace

std::string plan_text(const Table& plan) {
  std::string all = work(plan);
  all += fmt::format("\nDRAM bytes of the step: {} read once, {} again, {} spilled\n", total(plan, "once_B"),
                     total(plan, "again_B"), total(plan, "spill_B"));
  const bool searched = std::any_of(plan.rows.begin(), plan.rows.end(), [&](const auto& row) {
    return !result::to_text(cell(plan, static_cast<std::size_t>(&row - plan.rows.data()), "next_order"))
                .empty();
  });
  if (searched)
    all += "\nThe best plan in another order of loops (products that one function takes share theirs):\n" +
           choices(plan);
  for (const std::string& note : plan.notes) all += "\nNote: " + note + "\n";
  return all;
}

std::string plan_json(const Table& plan) {
  Json rows = Json::array();
  for (const auto& row : plan.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      Json& value = object[plan.columns[c]];
      if (const auto* whole = std::get_if<std::int64_t>(&row[c])) value = *whole;
      if (const auto* real = std::get_if<double>(&row[c])) value = number(*real, plan.columns[c]);
      if (const auto* word = std::get_if<std::string>(&row[c]); word && !word->empty()) value = *word;
    }
    rows.push_back(std::move(object));
  }
  return Json{{"schema", 1}, {"plan", std::move(rows)}, {"notes", plan.notes}}.dump(
             2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace edgenpu::report
