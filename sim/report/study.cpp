#include "report/study.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "base/text.h"
#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

using result::Cell;

namespace {

std::string shown(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell)) {
    // Joules times seconds are small: an exponent reads better than a row of zeros.
    if (*real != 0 && (std::abs(*real) < 1e-3 || std::abs(*real) >= 1e9)) return fmt::format("{:.3e}", *real);
    return significant(*real, 4);
  }
  const std::string text = result::to_text(cell);
  return text.empty() ? "-" : text;
}

// A spreadsheet evaluates a cell that begins like this.
std::string not_a_formula(const std::string& text) {
  const bool formula = !text.empty() && std::string("=+-@").find(text[0]) != std::string::npos;
  char* end = nullptr;
  const bool number = formula && (std::strtod(text.c_str(), &end), *end == '\0' && text.size() > 1);
  return formula && !number ? "'" + text : text;
}

std::string field(const std::string& raw) {
  const std::string text = visible(not_a_formula(raw));
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

bool is_text(const result::Table& table, std::size_t column) {
  for (const auto& row : table.rows)
    if (std::holds_alternative<std::string>(row[column])) return true;
  return false;
}

}  // namespace

std::string study_text(const result::Table& table) {
  std::vector<TextTable::Column> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    columns.push_back(
        {table.columns[c], is_text(table, c) ? TextTable::Align::left : TextTable::Align::right});
  TextTable text(columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(shown(cell));
    text.add(std::move(cells));
  }
  return text.text();
}

std::string csv(const result::Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c ? "," : "") + field(table.columns[c]);
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += (c ? "," : "") + field(result::to_text(row[c]));
    text += "\n";
  }
  return text;
}

std::string study_card(const result::Table& table, std::size_t row) {
  TextTable text({{"", TextTable::Align::left}, {"", TextTable::Align::left}});
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text.add({table.columns[c], shown(table.rows[row][c])});
  return text.text();
}

}  // namespace edgenpu::report
