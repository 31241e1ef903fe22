// Tables of study results for people and for spreadsheets.
#pragma once

#include <string>

#include "result/table.h"

namespace edgenpu::report {

// Aligned columns; numbers with four significant digits, where a whole number has no more.
std::string study_text(const result::Table& table);

// RFC 4180: a header line, commas, quotes where needed; numbers with all their digits. Nothing is an empty
// field.
std::string csv(const result::Table& table);

// One row with a line a column: for a single best point.
std::string study_card(const result::Table& table, std::size_t row);

}  // namespace edgenpu::report
