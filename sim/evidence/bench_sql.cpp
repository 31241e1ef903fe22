// The SQL form of bench_rows.h.
#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <sqlite3.h>

#include "evidence/bench_forms.h"
#include "workload/gguf_cursor.h"

namespace edgenpu::evidence {

namespace {

using config::Value;

// A file from elsewhere may make tables and fill them with constants: it reads nothing, attaches nothing and
// cannot run for long.
int only_rows(void*, int action, const char* table, const char*, const char*, const char*) {
  const bool own_book = table && std::string(table) == "sqlite_master";
  switch (action) {
    case SQLITE_CREATE_TABLE:
    case SQLITE_INSERT:
    case SQLITE_TRANSACTION:
    case SQLITE_SELECT:  // VALUES is one
      return SQLITE_OK;
    case SQLITE_READ:
    case SQLITE_UPDATE:
      return own_book ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// Where a statement stands; `line` is that of `at`.
Position place(const std::string& text, std::size_t at, int line, const std::string& path) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t column = before == std::string::npos ? at : at - before - 1;
  return {path, line, static_cast<int>(column) + 1};
}

int lines_between(const std::string& text, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
  return static_cast<int>(std::count(at(from), at(std::min(to, text.size())), '\n'));
}

// Runs the statement at `at`, on this line; where the next one begins.
std::size_t run_one(sqlite3* database, const std::string& text, std::size_t at, int line,
                    const std::string& path) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  int error = sqlite3_prepare_v2(database, text.c_str() + at, -1, &statement, &rest);
  const std::size_t wrong =
      at + static_cast<std::size_t>(error == SQLITE_OK ? 0 : std::max(0, sqlite3_error_offset(database)));
  if (error == SQLITE_OK && statement) {
    error = sqlite3_step(statement);
    if (error == SQLITE_DONE || error == SQLITE_ROW) error = SQLITE_OK;
  }
  const std::string why = error == SQLITE_OK ? "" : sqlite3_errmsg(database);
  sqlite3_finalize(statement);
  if (error != SQLITE_OK)
    throw InputError(place(text, wrong, line + lines_between(text, at, wrong), path),
                     "this is no SQL of llama-bench (a table and rows of constants): " + why);
  return static_cast<std::size_t>(rest - text.c_str());
}

// Rows of the table that are newer than `last`, standing where their statement does.
void take_rows(SQLite::Database& database, const std::string& table, const Position& where,
               std::int64_t& last, std::vector<Value>& rows) {
  SQLite::Statement query(database, "SELECT rowid, * FROM " + table + " WHERE rowid > ? ORDER BY rowid");
  query.bind(1, last);
  while (query.executeStep()) {
    last = query.getColumn(0).getInt64();
    Value row = Value::empty_map(where);
    for (int i = 1; i < query.getColumnCount(); ++i) {
      if (query.getColumn(i).isNull()) continue;
      const std::string text = query.getColumn(i).getString();
      if (!workload::is_utf8(text)) throw InputError(where, "a value that is not UTF-8");
      row.set_at(query.getColumnName(i), where, Value::scalar(text, where));
    }
    rows.push_back(std::move(row));
  }
}

// The only table, once there is one.
std::string table_of(SQLite::Database& database) {
  SQLite::Statement query(
      database, "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('llama_bench', 'test')");
  return query.executeStep() ? query.getColumn(0).getString() : "";
}

std::vector<Value> run_all(const std::string& text, std::size_t begin, const std::string& path) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  sqlite3* raw = database.getHandle();
  std::vector<Value> rows;
  std::string table;
  std::int64_t last = 0;
  int line = lines_between(text, 0, begin) + 1;
  for (std::size_t at = begin;;) {
    const std::size_t next = text.find_first_not_of(" \t\r\n;", at);
    if (next == std::string::npos) return rows;
    line += lines_between(text, at, next);
    sqlite3_set_authorizer(raw, only_rows, nullptr);
    at = run_one(raw, text, next, line, path);
    sqlite3_set_authorizer(raw, nullptr, nullptr);
    if (table.empty()) table = table_of(database);
    if (!table.empty()) take_rows(database, table, place(text, next, line, path), last, rows);
    line += lines_between(text, next, at);
  }
}

}  // namespace

std::vector<Value> bench_sql_rows(const std::string& text, std::size_t begin, const std::string& path) {
  try {
    return run_all(text, begin, path);
  } catch (const SQLite::Exception& e) {  // a table of another kind
    throw InputError(Position{path, 1, 1}, std::string("the table is none of llama-bench: ") + e.what());
  }
}

}  // namespace edgenpu::evidence
