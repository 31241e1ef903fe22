#include "sweep/query.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/suggest.h"
#include "sweep/expressions.h"

namespace edgenpu::sweep {

using result::Cell;
using result::Table;

namespace {

// Missing after numbers, numbers before text.
bool less(const Cell& a, const Cell& b) {
  const auto x = number_of(a), y = number_of(b);
  if (x && y) return *x < *y;
  if (x || y) return x.has_value();
  return result::to_text(a) < result::to_text(b);
}

}  // namespace

std::size_t column_index(const Table& table, const std::string& name, const Position& where) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  if (found != table.columns.end()) return static_cast<std::size_t>(found - table.columns.begin());
  throw InputError(where, fmt::format("no column '{}'{}; the columns are: {}", name,
                                      did_you_mean(name, table.columns), join(table.columns)));
}

std::optional<double> number_of(const Cell& c) {
  if (const auto* whole = std::get_if<std::int64_t>(&c)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&c)) return *real;
  return std::nullopt;
}

bool is_ok(const Table& table, const std::vector<Cell>& row) {
  return row[column_index(table, "status", {"results", 0, 0})] == Cell(std::string("ok"));
}

Table filtered(const Table& table, const std::string& condition, std::int64_t* silent) {
  if (condition.empty()) return table;
  Expressions formulas(table.columns);
  const int holds = formulas.add(condition, {"--where", 0, 0});
  const auto& read = formulas.columns_of(holds);
  Table kept{table.columns, {}};
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (read.count(table.columns[i])) formulas.set(table.columns[i], row[i]);
    const Cell value = formulas.evaluate(holds);
    if (truth(value)) kept.rows.push_back(row);
    if (silent && std::holds_alternative<std::monostate>(value)) ++*silent;
  }
  return kept;
}

Table sorted(const Table& table, const std::string& column, bool descending) {
  const std::size_t c = column_index(table, column, {"--sort", 0, 0});
  Table t = table;
  const auto missing = [&](const auto& row) { return std::holds_alternative<std::monostate>(row[c]); };
  std::stable_sort(t.rows.begin(), t.rows.end(), [&](const auto& a, const auto& b) {
    if (missing(a) || missing(b)) return !missing(a) && missing(b);
    return descending ? less(b[c], a[c]) : less(a[c], b[c]);
  });
  return t;
}

Table selected(const Table& table, const std::vector<std::string>& columns) {
  Table t{columns, {}};
  std::vector<std::size_t> at;
  for (const std::string& c : columns) at.push_back(column_index(table, c, {"--columns", 0, 0}));
  for (const auto& row : table.rows) {
    t.rows.emplace_back();
    for (const std::size_t i : at) t.rows.back().push_back(row[i]);
  }
  return t;
}

}  // namespace edgenpu::sweep
