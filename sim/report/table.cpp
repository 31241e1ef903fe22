#include "report/table.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace edgenpu::report {

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  std::vector<std::string> headers;
  for (const Column& c : columns_) headers.push_back(c.header);
  rows_.push_back(std::move(headers));
}

void TextTable::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw InternalError("a table row has the wrong number of cells");
  for (std::string& cell : cells) cell = one_line(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - width_of(row[c]), ' ');
      line += "  " + (columns_[c].align == Align::left ? row[c] + pad : pad + row[c]);
    }
    const std::size_t end = line.find_last_not_of(' ');
    if (end != std::string::npos) text += line.substr(0, end + 1) + "\n";
  }
  return text;
}

}  // namespace edgenpu::report
