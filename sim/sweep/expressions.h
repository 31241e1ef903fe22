// Expressions over the columns of a point, in SQLite's dialect of SQL: "matrix_engines > 8 and
// memory_channels < 4", "printf('%d GiB', 2 * memory_channels)". Numbers are real numbers (but 7/2 between
// two literals is 3, as in SQL); text stands in single quotes; a comparison with a missing value is neither
// true nor false.
//
// Only what a formula needs is allowed: columns and built-in functions whose result depends on their
// arguments alone. Errors: InputError at the expression's position, with SQLite's reason and the nearest
// column.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/table.h"

namespace edgenpu::sweep {

// Of a value as SQL has it: not 0, not missing, not text.
bool truth(const result::Cell& value);

class Expressions {
 public:
  // Columns of a point; names that differ in case only count once.
  explicit Expressions(std::vector<std::string> columns);
  ~Expressions();
  Expressions(const Expressions&) = delete;
  Expressions& operator=(const Expressions&) = delete;

  // Returns the expression's number.
  int add(const std::string& text, const Position& where);
  // The columns that an expression reads.
  const std::set<std::string>& columns_of(int expression) const;

  // The point that the expressions see from now on; a column that is not named here is missing.
  void set(const std::string& column, const result::Cell& value);
  void clear();
  result::Cell value(const std::string& column) const;
  result::Cell evaluate(int expression);
  // Not 0 and not missing.
  bool holds(int expression);
  // The columns that it reads and that have no value at this point.
  std::vector<std::string> missing(int expression) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgenpu::sweep
