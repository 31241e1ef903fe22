#include "sweep/schema.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

#include "sweep/metrics.h"
#include "sweep/sql.h"
#include "sweep/store.h"

namespace edgenpu::sweep {

namespace {

namespace fs = std::filesystem;

// In the file's header: whose it is ("edNP") and which tables it has.
constexpr int kApplication = 0x65644e50, kVersion = 3, kWithoutNotes = 2;
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
      "CREATE TABLE studies (name TEXT PRIMARY KEY, hash TEXT NOT NULL, question TEXT, columns TEXT, groups "
      "TEXT, tool TEXT) WITHOUT ROWID");
  db.exec(
      "CREATE TABLE constraints (study TEXT, number INTEGER, formula TEXT NOT NULL, PRIMARY KEY (study, "
      "number)) WITHOUT ROWID");
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
  if (version == kVersion || version == kWithoutNotes) return;
  throw InputError({file}, fmt::format("results of {} version of the tool (format {}); this one reads "
                                       "formats {} and {} and writes {}",
                                       version > kVersion ? "a newer" : "an older", version, kWithoutNotes,
                                       kVersion, kVersion));
}

void add_notes(SQLite::Database& db) {
  db.exec("ALTER TABLE points ADD COLUMN notes");
  db.exec(fmt::format("PRAGMA user_version = {}", kVersion));
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
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw InputError({file}, "this is a folder or a device; results need a file");
  SQLite::Database db(sqlite_name(file), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kPatience_ms);
  const auto empty = [&] { return db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0; };
  if (!empty()) check_is_ours(db, file);
  use_log(db);
  // Survives a killed process; after a power cut the last rows may be missing.
  db.exec("PRAGMA synchronous = NORMAL");
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (empty()) create_tables(db);
  if (!keeps_notes(db)) add_notes(db);
  transaction.commit();
  check_is_ours(db, file);
  return db;
}

// "file:" and the absolute path, in which nothing but letters, digits and "/-._" stands for itself.
std::string uri_of(const std::string& file) {
  std::error_code error;
  std::string uri = "file://";
  for (const char c : fs::absolute(file, error).string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || std::strchr("/-._", c);
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

// Without a log nobody writes, so the file is read as it lies there: no lock, nothing beside it. With one it takes
// the usual way, which also tidies up after a killed writer; who may not write here reads beside the writer.
ResultsFile open_to_read(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error && status.type() != fs::file_type::not_found) throw InputError({file}, error.message());
  if (!fs::is_regular_file(status)) throw InputError({file}, "there is no such results file");
  if (::access(file.c_str(), R_OK) != 0) throw InputError({file}, std::strerror(errno));
  if (!has_log(file))
    return {{uri_of(file) + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI, kPatience_ms}, true};
  try {
    SQLite::Database db(sqlite_name(file), SQLite::OPEN_READWRITE, kPatience_ms);
    db.exec("PRAGMA query_only = 1");
    pragma(db, "user_version");
    return {std::move(db), false};
  } catch (const SQLite::Exception&) {
    return {{sqlite_name(file), SQLite::OPEN_READONLY, kPatience_ms}, false};
  }
}

}  // namespace

const std::vector<std::string>& provenance_columns() {
  static const std::vector<std::string> names = {
      "hardware_file", "hardware_hash", "trace_hash", "power_scope", "notes", "config", "tool"};
  return names;
}

const std::vector<std::string>& time_columns() {
  static const std::vector<std::string> names = {"host", "finished_at", "cpu_s", "wall_s", "peak_rss_B"};
  return names;
}

ResultsFile open_results(const std::string& file, bool writable) {
  try {
    if (writable) return {open_to_write(file), false};
    ResultsFile opened = open_to_read(file);
    check_is_ours(opened.database, file);
    return opened;
  } catch (const SQLite::Exception& e) {
    throw database_error(file, e);
  }
}

bool has_log(const std::string& file) {
  std::error_code error;
  return fs::file_size(file + "-wal", error) > 0 && !error;
}

std::string sqlite_name(const std::string& file) {
  return fs::path(file).is_absolute() ? file : "./" + file;
}

bool keeps_notes(SQLite::Database& db, const std::string& schema) {
  return pragma(db, schema + ".user_version") > kWithoutNotes;
}

std::string points_of_other(SQLite::Database& db) {
  std::string wanted;
  SQLite::Statement ours(db, "SELECT name FROM pragma_table_info('points')");
  while (ours.executeStep()) {
    const std::string name = ours.getColumn(0).getString();
    const bool known = name != "notes" || keeps_notes(db, "other");
    wanted += (wanted.empty() ? "" : ", ") + (known ? quoted_name(name) : "NULL");
  }
  return "SELECT " + wanted + " FROM other.points";
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

}  // namespace edgenpu::sweep
