#include "study/sql.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sqlite3.h>

#include "base/suggest.h"

namespace edgenpu::study {

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
                           "strftime", "unixepoch", "changes", "last_insert_rowid", "total_changes"})
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
  sqlite3_set_authorizer(database.getHandle(), authorise, read);
}

void check_formula(SQLite::Database& database, const std::string& formula, const Position& where,
                   const std::string& statement, const std::vector<std::string>& columns) {
  const std::string sql = fmt::format(fmt::runtime(statement), formula);
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  const int error = sqlite3_prepare_v2(database.getHandle(), sql.c_str(), -1, &prepared, &rest);
  const bool single = prepared && sqlite3_column_count(prepared) >= 1 && (!rest || !*rest);
  const std::string reason =
      error == SQLITE_OK ? "it must be one expression" : sqlite3_errmsg(database.getHandle());
  sqlite3_finalize(prepared);
  if (error == SQLITE_OK && single) return;
  const std::string unknown = "no such column: ";
  if (reason.rfind(unknown, 0) == 0) {
    const std::string name = reason.substr(unknown.size());
    throw InputError(where,
                     fmt::format("'{}': no column '{}'{}", formula, name, did_you_mean(name, columns)));
  }
  throw InputError(where, fmt::format("'{}' is not an expression: {}", formula, reason));
}

}  // namespace edgenpu::study
