// What the users of SQLite share: cells, names, and formulas from outside that may read but not act.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/table.h"

namespace edgenpu::sweep {

// "name", for column names from outside.
std::string quoted_name(const std::string& name);

// SQL does not tell apart names by case: the first of each.
std::vector<std::string> distinct_names(const std::vector<std::string>& names);

void bind(SQLite::Statement& statement, int parameter, const result::Cell& cell);
result::Cell cell_of(const SQLite::Column& column);

// From now on statements of the database may only select and call deterministic functions. The names of the
// columns that a statement reads go to `read` while it is prepared, if given.
void allow_formulas_only(SQLite::Database& database, std::set<std::string>* read);

// Throws InputError if `formula` in the place of {} of `statement` cannot be prepared, is more than one
// expression, has brackets that do not pair, a comment or a parameter; suggests among `columns`.
void check_formula(SQLite::Database& database, const std::string& formula, const Position& where,
                   const std::string& statement, const std::vector<std::string>& columns);

}  // namespace edgenpu::sweep
