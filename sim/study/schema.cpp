#include "study/schema.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>

#include "study/metrics.h"
#include "study/sql.h"
#include "study/store.h"

namespace edgenpu::study {

namespace {

// In the file's header: whose it is ("edNP") and which tables it has.
constexpr int kApplication = 0x65644e50, kVersion = 1;
constexpr int kPatience_ms = 10'000;

std::string points_table() {
  std::string columns = "id TEXT PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL";
  for (const std::string& c : output_columns()) columns += ", " + quoted_name(c);
  for (const auto* list : {&provenance_columns(), &time_columns()})
    for (const std::string& c : *list) columns += ", " + quoted_name(c);
  return "CREATE TABLE points (" + columns + ") WITHOUT ROWID";
}

void create_tables(SQLite::Database& db) {
  db.exec(
      "CREATE TABLE studies (name TEXT PRIMARY KEY, hash TEXT NOT NULL, question TEXT, columns TEXT, tool "
      "TEXT) "
      "WITHOUT ROWID");
  db.exec(
      "CREATE TABLE study_points (study TEXT, number INTEGER, id TEXT NOT NULL, PRIMARY KEY (study, number)) "
      "WITHOUT ROWID");
  db.exec(
      "CREATE TABLE inputs (study TEXT, number INTEGER, name TEXT, value, PRIMARY KEY (study, number, name)) "
      "WITHOUT ROWID");
  db.exec(points_table());
  db.exec(
      "CREATE TABLE energy (id TEXT, component TEXT, joules REAL, PRIMARY KEY (id, component)) WITHOUT "
      "ROWID");
  db.exec(fmt::format("PRAGMA application_id = {}", kApplication));
  db.exec(fmt::format("PRAGMA user_version = {}", kVersion));
}

int pragma(SQLite::Database& db, const std::string& name) {
  return db.execAndGet("PRAGMA " + name).getInt();
}

void check_is_ours(SQLite::Database& db, const std::string& file) {
  if (pragma(db, "application_id") != kApplication)
    throw InputError({file}, "this is a database of something else, not of study results");
  const int version = pragma(db, "user_version");
  if (version > kVersion)
    throw InputError(
        {file}, fmt::format("results of a newer version of the tool (format {}); this one reads up to {}",
                            version, kVersion));
}

// Switching to the log does not wait for other openers as everything else does.
void use_log(SQLite::Database& db) {
  for (int waited = 0;; waited += 20) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& e) {
      if (e.getErrorCode() != SQLITE_BUSY || waited >= kPatience_ms) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

SQLite::Database open_to_write(const std::string& file) {
  SQLite::Database db(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kPatience_ms);
  const auto empty = [&] { return db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0; };
  if (!empty()) check_is_ours(db, file);
  use_log(db);
  // Survives a killed process; after a power cut the last rows may be missing.
  db.exec("PRAGMA synchronous = NORMAL");
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (empty()) create_tables(db);
  transaction.commit();
  check_is_ours(db, file);
  return db;
}

SQLite::Database open_to_read(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) throw InputError({file}, "there is no such results file");
  try {
    SQLite::Database db(file, SQLite::OPEN_READONLY, kPatience_ms);
    check_is_ours(db, file);
    return db;
  } catch (const SQLite::Exception& e) {
    // Reading beside a log needs a file next to it. Where none can be made and no log exists, nobody is
    // writing.
    const bool no_log = !std::filesystem::exists(file + "-wal");
    if (e.getErrorCode() != SQLITE_CANTOPEN || !no_log) throw;
    SQLite::Database db("file:" + file + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                        kPatience_ms);
    check_is_ours(db, file);
    return db;
  }
}

}  // namespace

const std::vector<std::string>& provenance_columns() {
  static const std::vector<std::string> names = {"hardware_file", "hardware_hash", "trace_hash",
                                                 "power_scope",   "config",        "tool"};
  return names;
}

const std::vector<std::string>& time_columns() {
  static const std::vector<std::string> names = {"host", "finished_at", "cpu_s", "wall_s", "peak_rss_B"};
  return names;
}

SQLite::Database open_results(const std::string& file, bool writable) {
  try {
    return writable ? open_to_write(file) : open_to_read(file);
  } catch (const SQLite::Exception& e) {
    throw database_error(file, e);
  }
}

InputError database_error(const std::string& file, const SQLite::Exception& e) {
  switch (e.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {{file}, "another process has held the results locked for 10 s"};
    case SQLITE_FULL:
      return {{file}, "no space left for results; what was written before is intact"};
    case SQLITE_IOERR:
      return {
          {file},
          fmt::format(
              "cannot read or write here ({}); is the disk full or a limit reached? What was written before "
              "is intact",
              e.what())};
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return {{file},
              fmt::format("cannot open this file for results ({}); is the directory there and writable?",
                          e.what())};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {{file}, fmt::format("this is not a results file, or it is damaged ({})", e.what())};
    default:
      return {{file}, fmt::format("the results database refuses: {}", e.what())};
  }
}

}  // namespace edgenpu::study
