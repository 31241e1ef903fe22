#include "sweep/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

#include "base/error.h"
#include "base/suggest.h"
#include "sweep/metrics.h"
#include "sweep/schema.h"
#include "sweep/sql.h"

namespace edgenpu::sweep {

using result::Cell;
using SQLite::Statement;
using SQLite::Transaction;
using SQLite::TransactionBehavior;

namespace {

namespace fs = std::filesystem;

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

fs::file_time_type written_at(const std::string& file) {
  std::error_code error;
  return fs::last_write_time(file, error);
}

std::string insert_point() {
  std::vector<std::string> columns = {"id", "status", "message"};
  for (const std::string& c : output_columns()) columns.push_back(quoted_name(c));
  for (const auto* list : {&provenance_columns(), &time_columns()})
    for (const std::string& c : *list) columns.push_back(quoted_name(c));
  std::vector<std::string> places(columns.size(), "?");
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] == "\"finished_at\"") places[i] = "strftime('%Y-%m-%dT%H:%M:%fZ','now')";
  return "INSERT OR REPLACE INTO points (" + join(columns) + ") VALUES (" + join(places) + ")";
}

}  // namespace

struct Store::State {
  State(const std::string& file, Mode mode) : file(file), stamp(written_at(file)) {
    ResultsFile opened = open_results(file, mode == Mode::write);
    database = std::make_unique<SQLite::Database>(std::move(opened.database));
    alone = opened.alone;
  }

  // Reads; once more if somebody began to write meanwhile.
  template <class Work>
  auto reading(Work work) {
    if (alone) {
      try {
        auto found = guarded(work);
        if (!has_log(file) && written_at(file) == stamp) return found;
      } catch (const InputError&) {
        if (!has_log(file) && written_at(file) == stamp) throw;
      }
      *this = State(file, Mode::read);
    }
    return guarded(work);
  }

  // Runs `work`; what SQLite throws becomes an error that names the file.
  template <class Work>
  auto guarded(Work work) const {
    try {
      return work();
    } catch (const SQLite::Exception& e) {
      throw database_error(file, e);
    }
  }

  std::string file;
  fs::file_time_type stamp;
  bool alone = false;
  std::unique_ptr<SQLite::Database> database;
  std::unique_ptr<Statement> insert;
};

Store::Store(const std::string& file, Mode mode) : state_(std::make_unique<State>(file, mode)) {}
Store::~Store() = default;

void Store::begin_study(const Expansion& e, const std::string& tool, bool replace) {
  state_->guarded([&] {
    Transaction transaction(*state_->database, TransactionBehavior::IMMEDIATE);
    const auto known = hashes_of(*state_->database);
    const auto same_name = known.find(e.study().name);
    const bool listed = same_name != known.end() && same_name->second == e.hash();
    if (same_name != known.end() && !listed && !replace)
      throw InputError(
          {state_->file},
          fmt::format("has a study '{}' with other points, inputs or constraints, or of another build "
                      "of the tool; --resume makes it the study as it reads now and runs what is "
                      "missing, --out names another file",
                      e.study().name));
    write_study(*state_->database, e, tool, !listed);
    transaction.commit();
  });
}

bool Store::lists(const Expansion& e) const {
  const auto known = hashes();
  const auto study = known.find(e.study().name);
  return study != known.end() && study->second == e.hash();
}

std::map<std::string, std::string> Store::hashes() const {
  return state_->reading([&] { return hashes_of(*state_->database); });
}

std::map<std::string, std::string> Store::statuses() const {
  return state_->guarded([&] {
    std::map<std::string, std::string> found;
    Statement all(*state_->database, "SELECT id, status FROM points");
    while (all.executeStep()) found[all.getColumn(0).getString()] = all.getColumn(1).getString();
    return found;
  });
}

void Store::put(const Row& row, const std::string& tool) {
  state_->guarded([&] {
    SQLite::Database& db = *state_->database;
    Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    if (!state_->insert) state_->insert = std::make_unique<Statement>(db, insert_point());
    Statement& s = *state_->insert;
    s.reset();
    int at = 0;
    for (const std::string* text : {&row.id, &row.status, &row.message}) s.bind(++at, *text);
    for (std::size_t i = 0; i < output_columns().size(); ++i)
      sweep::bind(s, ++at, i < row.outputs.size() ? row.outputs[i] : Cell());
    for (const std::string* text : {&row.hardware, &row.hardware_hash, &row.trace_hash, &row.power_scope,
                                    &row.notes, &row.config, &tool})
      s.bind(++at, *text);
    s.bind(++at, host_name());
    s.bind(++at, row.cpu_s);
    s.bind(++at, row.wall_s);
    s.bind(++at, row.peak_rss_B);
    s.exec();
    s.reset();
    Statement clear(db, "DELETE FROM energy WHERE id = ?");
    clear.bind(1, row.id);
    clear.exec();
    Statement energy(db, "INSERT INTO energy (id, component, joules) VALUES (?, ?, ?)");
    for (const auto& [component, joules] : row.energy_J) {
      energy.reset();
      energy.bind(1, row.id);
      energy.bind(2, component);
      energy.bind(3, joules);
      energy.exec();
    }
    transaction.commit();
  });
}

void Store::rewrite(const std::vector<Row>& rows) {
  state_->guarded([&] {
    Transaction transaction(*state_->database, TransactionBehavior::IMMEDIATE);
    Statement update(
        *state_->database,
        "UPDATE points SET hardware_file = ?2, config = ?3, hardware_hash = "
        "iif(hardware_hash = '', '', ?4) WHERE id = ?1 AND (hardware_file <> ?2 OR config <> ?3)");
    for (const Row& row : rows) {
      update.reset();
      int at = 0;
      for (const std::string* text : {&row.id, &row.hardware, &row.config, &row.hardware_hash})
        update.bind(++at, *text);
      update.exec();
    }
    transaction.commit();
  });
}

void Store::merge_from(const std::string& file) {
  { const Store check(file, Mode::read); }  // that it is one of ours, of a version that we read
  state_->guarded([&] {
    SQLite::Database& db = *state_->database;
    Statement attach(db, "ATTACH DATABASE ? AS other");
    attach.bind(1, sqlite_name(file));
    attach.exec();
    Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    Statement clash(
        db, "SELECT o.name FROM other.studies o JOIN studies s ON s.name = o.name WHERE s.hash <> o.hash");
    if (clash.executeStep())
      throw InputError({file}, fmt::format("its study '{}' has other points or constraints than the one of "
                                           "that name in {}: the study or the "
                                           "tool changed in between",
                                           clash.getColumn(0).getString(), state_->file));
    // A row that failed here and not there is worth replacing.
    db.exec(
        "DELETE FROM energy WHERE id IN (SELECT p.id FROM points p JOIN other.points o ON o.id = p.id WHERE "
        "p.status = "
        "'failed' AND o.status <> 'failed')");
    db.exec(
        "DELETE FROM points WHERE status = 'failed' AND id IN (SELECT id FROM other.points WHERE status <> "
        "'failed')");
    db.exec(
        "INSERT OR IGNORE INTO energy SELECT * FROM other.energy WHERE id NOT IN (SELECT id FROM points)");
    db.exec("INSERT OR IGNORE INTO points " + points_of_other(db));
    for (const char* table : {"studies", "constraints", "study_points", "inputs"})
      db.exec(fmt::format("INSERT OR IGNORE INTO {0} SELECT * FROM other.{0}", table));
    transaction.commit();
    db.exec("DETACH DATABASE other");
  });
}

const std::string& Store::file() const {
  return state_->file;
}

std::vector<std::string> Store::studies() const {
  std::vector<std::string> names;
  for (const auto& [name, hash] : hashes()) names.push_back(name);
  return names;
}

result::Table Store::points(const std::string& study) const {
  return state_->reading([&] { return read_points(*state_->database, study); });
}

std::vector<int> Store::groups(const std::string& study) const {
  return state_->reading([&] { return read_groups(*state_->database, study); });
}

}  // namespace edgenpu::sweep
