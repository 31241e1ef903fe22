#include "sweep/sql.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/suggest.h"

namespace edgenpu::sweep {

using result::Cell;

namespace {

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Functions whose result does not follow from their arguments, or that reach outside.
bool forbidden(const char* function) {
  for (const char* name : {"random", "randomblob", "load_extension", "date", "time", "datetime", "julianday",
                           "strftime", "unixepoch", "changes", "last_insert_rowid", "total_changes",
                           "current_date", "current_time", "current_timestamp", "timediff"})
    if (std::strcmp(name, function) == 0) return true;
  return false;
}

int authorise(void* read, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
      return SQLITE_OK;
    case SQLITE_READ:
      if (read && second && *second) static_cast<std::set<std::string>*>(read)->insert(second);
      // A table of the schema is none of a formula's business.
      return first && std::strncmp(first, "sqlite_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
      return forbidden(second) ? SQLITE_DENY : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

// The end of what a quote opens at `at`; npos if it stays open. A doubled quote is one of the text.
std::size_t closing_quote(const std::string& text, std::size_t at) {
  const char end = text[at] == '[' ? ']' : text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] != end) continue;
    if (end == ']' || i + 1 >= text.size() || text[i + 1] != end) return i;
    ++i;
  }
  return std::string::npos;
}

// Why a formula is not one closed expression, whatever stands around it; "" if it is.
std::string left_open(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::strchr("'\"`[", c) && c) {
      i = closing_quote(text, i);
      if (i == std::string::npos) return std::string("a ") + c + " is never closed";
      continue;
    }
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return "a ')' closes nothing";
    const std::string two = text.substr(i, 2);
    if (two == "--" || two == "/*")
      return "comments (" + two + ") are not allowed; a double minus needs a blank";
    if (c == ';') return "it must be one expression";
  }
  return depth > 0 ? "a '(' is never closed" : "";
}

}  // namespace

std::string quoted_name(const std::string& name) {
  // Names come from results files; SQLite would take this one to its zero byte only.
  if (name.find('\0') != std::string::npos)
    throw InputError(Position{std::string("column ") + name.c_str()}, "this name has a zero byte");
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::vector<std::string> distinct;
  for (const std::string& name : names)
    if (seen.insert(lower(name)).second) distinct.push_back(name);
  return distinct;
}

void bind(SQLite::Statement& statement, int parameter, const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return statement.bind(parameter, *whole);
  if (const auto* real = std::get_if<double>(&cell)) return statement.bind(parameter, *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return statement.bind(parameter, *text);
  statement.bind(parameter);
}

Cell cell_of(const SQLite::Column& column) {
  if (column.isInteger()) return static_cast<std::int64_t>(column.getInt64());
  if (column.isFloat()) return column.getDouble();
  if (column.isNull()) return {};
  return column.getString();
}

void allow_formulas_only(SQLite::Database& database, std::set<std::string>* read) {
  // Otherwise a misspelt "column" would silently become text.
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  // No formula needs a text of megabytes; printf and zeroblob could make one of gigabytes.
  sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, 1'000'000);
  sqlite3_set_authorizer(database.getHandle(), authorise, read);
}

void check_formula(SQLite::Database& database, const std::string& formula, const Position& where,
                   const std::string& statement, const std::vector<std::string>& columns) {
  const std::string open = left_open(formula);
  if (!open.empty()) throw InputError(where, fmt::format("'{}' is not an expression: {}", formula, open));
  const std::string sql = fmt::format(fmt::runtime(statement), formula);
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int error = sqlite3_prepare_v2(database.getHandle(), sql.c_str(), -1, &prepared, &rest);
  const bool single = prepared && sqlite3_column_count(prepared) == 1 && (!rest || !*rest);
  const bool parameters = prepared && sqlite3_bind_parameter_count(prepared) > 0;
  const std::string reason = error != SQLITE_OK ? sqlite3_errmsg(database.getHandle())
                             : parameters       ? "a parameter (?, :x, @x, $x) has no value here"
                                                : "it must be one expression";
  sqlite3_finalize(prepared);
  if (error == SQLITE_OK && single && !parameters) return;
  const std::string unknown = "no such column: ";
  if (reason.rfind(unknown, 0) == 0) {
    const std::string name = reason.substr(unknown.size());
    throw InputError(where,
                     fmt::format("'{}': no column '{}'{}", formula, name, did_you_mean(name, columns)));
  }
  throw InputError(where, fmt::format("'{}' is not an expression: {}", formula, reason));
}

}  // namespace edgenpu::sweep
