// A table whose shape is only known at run time: the points of a study, a comparison. Plain data; the
// printers are in report/. A column's name ends in its unit.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace edgenpu::result {

// Nothing: not modelled, or not known.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // one cell a column
  std::vector<std::string> notes = {};  // what the reader should know of all rows
};

// As it is written in CSV: nothing as "", numbers with the fewest digits that read back exactly.
std::string to_text(const Cell& cell);

}  // namespace edgenpu::result
