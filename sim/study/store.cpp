#include "study/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>

#include "base/error.h"
#include "study/metrics.h"
#include "study/schema.h"
#include "study/sql.h"

namespace edgenpu::study {

using result::Cell;
using SQLite::Statement;
using SQLite::Transaction;
using SQLite::TransactionBehavior;

namespace {

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : between) + w;
  return text;
}

std::string insert_point() {
  std::vector<std::string> columns = {"id", "status", "message"};
  for (const std::string& c : output_columns()) columns.push_back(quoted_name(c));
  for (const auto* list : {&provenance_columns(), &time_columns()})
    for (const std::string& c : *list) columns.push_back(quoted_name(c));
  std::vector<std::string> places(columns.size(), "?");
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] == "\"finished_at\"") places[i] = "strftime('%Y-%m-%dT%H:%M:%fZ','now')";
  return "INSERT OR REPLACE INTO points (" + joined(columns, ", ") + ") VALUES (" + joined(places, ", ") +
         ")";
}

}  // namespace

struct Store::State {
  State(const std::string& file, Mode mode) : file(file), database(open_results(file, mode == Mode::write)) {}

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
  mutable SQLite::Database database;
  std::unique_ptr<Statement> insert;
};

Store::Store(const std::string& file, Mode mode) : state_(std::make_unique<State>(file, mode)) {}
Store::~Store() = default;

void Store::begin_study(const Expansion& e, const std::string& tool) {
  state_->guarded([&] {
    SQLite::Database& db = state_->database;
    Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    const std::string& name = e.study().name;
    const std::string hash = e.hash();
    Statement known(db, "SELECT 1 FROM studies WHERE name = ? AND hash = ?");
    known.bind(1, name);
    known.bind(2, hash);
    if (known.executeStep()) return;
    for (const char* table : {"inputs", "study_points"}) {
      Statement clear(db, fmt::format("DELETE FROM {} WHERE study = ?", table));
      clear.bind(1, name);
      clear.exec();
    }
    Statement study(
        db, "INSERT OR REPLACE INTO studies (name, hash, question, columns, tool) VALUES (?, ?, ?, ?, ?)");
    int at = 0;
    for (const std::string& text : {name, hash, e.study().question, joined(e.columns(), "\n"), tool})
      study.bind(++at, text);
    study.exec();
    Statement point(db, "INSERT INTO study_points (study, number, id) VALUES (?, ?, ?)");
    Statement input(db, "INSERT INTO inputs (study, number, name, value) VALUES (?, ?, ?, ?)");
    for (const Point& p : e.points()) {
      point.reset();
      point.bind(1, name);
      point.bind(2, p.number);
      point.bind(3, p.id);
      point.exec();
      for (std::size_t i = 0; i < p.inputs.size(); ++i) {
        input.reset();
        input.bind(1, name);
        input.bind(2, p.number);
        input.bind(3, e.columns()[i]);
        bind(input, 4, p.inputs[i]);
        input.exec();
      }
    }
    transaction.commit();
  });
}

std::map<std::string, std::string> Store::statuses() const {
  return state_->guarded([&] {
    std::map<std::string, std::string> found;
    Statement all(state_->database, "SELECT id, status FROM points");
    while (all.executeStep()) found[all.getColumn(0).getString()] = all.getColumn(1).getString();
    return found;
  });
}

void Store::put(const Row& row, const std::string& tool) {
  state_->guarded([&] {
    SQLite::Database& db = state_->database;
    Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    if (!state_->insert) state_->insert = std::make_unique<Statement>(db, insert_point());
    Statement& s = *state_->insert;
    s.reset();
    int at = 0;
    for (const std::string* text : {&row.id, &row.status, &row.message}) s.bind(++at, *text);
    for (std::size_t i = 0; i < output_columns().size(); ++i)
      bind(s, ++at, i < row.outputs.size() ? row.outputs[i] : Cell());
    for (const std::string* text :
         {&row.hardware, &row.hardware_hash, &row.trace_hash, &row.power_scope, &row.config, &tool})
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

void Store::merge_from(const std::string& file) {
  { const Store check(file, Mode::read); }  // that it is one of ours, of a version that we read
  state_->guarded([&] {
    SQLite::Database& db = state_->database;
    Statement attach(db, "ATTACH DATABASE ? AS other");
    attach.bind(1, file);
    attach.exec();
    Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    Statement clash(
        db, "SELECT o.name FROM other.studies o JOIN studies s ON s.name = o.name WHERE s.hash <> o.hash");
    if (clash.executeStep())
      throw InputError(
          {file},
          fmt::format("its study '{}' has other points than the one of that name in {}: the study or the "
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
    for (const char* table : {"points", "studies", "study_points", "inputs"})
      db.exec(fmt::format("INSERT OR IGNORE INTO {0} SELECT * FROM other.{0}", table));
    transaction.commit();
    db.exec("DETACH DATABASE other");
  });
}

std::vector<std::string> Store::studies() const {
  return state_->guarded([&] {
    std::vector<std::string> names;
    Statement all(state_->database, "SELECT name FROM studies ORDER BY name");
    while (all.executeStep()) names.push_back(all.getColumn(0).getString());
    return names;
  });
}

result::Table Store::points(const std::string& study) const {
  return state_->guarded([&] { return read_points(state_->database, study); });
}

}  // namespace edgenpu::study
