// A study's list of points and constraints in the results file.
#include <fmt/format.h>

#include "base/suggest.h"
#include "sweep/schema.h"
#include "sweep/sql.h"

namespace edgenpu::sweep {

using SQLite::Statement;

namespace {

std::string lines(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : "\n") + w;
  return text;
}

std::vector<std::string> from_lines(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

std::vector<std::string> texts_of(const std::vector<int>& numbers) {
  std::vector<std::string> words;
  for (const int n : numbers) words.push_back(std::to_string(n));
  return words;
}

void write_inputs(SQLite::Database& db, const Expansion& e) {
  const std::string& name = e.study().name;
  Statement point(db, "INSERT INTO study_points (study, number, id) VALUES (?, ?, ?)");
  Statement input(db, "INSERT INTO inputs (study, number, name, value) VALUES (?, ?, ?, ?)");
  const auto put = [&](const Point& p, const std::string& column, const result::Cell& value) {
    input.reset();
    input.bind(1, name);
    input.bind(2, p.number);
    input.bind(3, column);
    sweep::bind(input, 4, value);
    input.exec();
  };
  for (const Point& p : e.points()) {
    point.reset();
    point.bind(1, name);
    point.bind(2, p.number);
    point.bind(3, p.id);
    point.exec();
    for (std::size_t i = 0; i < p.inputs.size(); ++i) put(p, e.columns()[i], p.inputs[i]);
    for (std::size_t i = 0; i < p.constrained.size(); ++i)
      put(p, e.constrained_columns()[i], p.constrained[i]);
  }
}

void write_constraints(SQLite::Database& db, const Study& study) {
  Statement constraint(db, "INSERT INTO constraints (study, number, formula) VALUES (?, ?, ?)");
  int number = 0;
  for (const Formula& f : study.constraints) {
    constraint.reset();
    constraint.bind(1, study.name);
    constraint.bind(2, ++number);
    constraint.bind(3, f.text);
    constraint.exec();
  }
}

// The text of one column of `studies`.
std::string about(SQLite::Database& db, const std::string& study, const std::string& column) {
  Statement row(db, fmt::format("SELECT {} FROM studies WHERE name = ?", column));
  row.bind(1, study);
  return row.executeStep() ? row.getColumn(0).getString() : "";
}

}  // namespace

void write_study(SQLite::Database& db, const Expansion& e, const std::string& tool, bool with_points) {
  Statement study(db,
                  "INSERT OR REPLACE INTO studies (name, hash, question, columns, groups, tool) VALUES (?, "
                  "?, ?, ?, ?, ?)");
  int at = 0;
  for (const std::string& text :
       {e.study().name, e.hash(), e.study().question, lines(e.columns()), lines(texts_of(e.groups())), tool})
    study.bind(++at, text);
  study.exec();
  if (!with_points) return;
  for (const char* table : {"inputs", "constraints", "study_points"}) {
    Statement clear(db, fmt::format("DELETE FROM {} WHERE study = ?", table));
    clear.bind(1, e.study().name);
    clear.exec();
  }
  write_inputs(db, e);
  write_constraints(db, e.study());
}

std::map<std::string, std::string> hashes_of(SQLite::Database& db) {
  std::map<std::string, std::string> hashes;
  Statement all(db, "SELECT name, hash FROM studies");
  while (all.executeStep()) hashes[all.getColumn(0).getString()] = all.getColumn(1).getString();
  return hashes;
}

std::vector<std::string> read_columns(SQLite::Database& db, const std::string& study) {
  return from_lines(about(db, study, "columns"));
}

std::vector<int> read_groups(SQLite::Database& db, const std::string& study) {
  std::vector<int> groups;
  for (const std::string& text : from_lines(about(db, study, "groups"))) groups.push_back(std::stoi(text));
  return groups;
}

std::vector<Formula> read_constraints(SQLite::Database& db, const std::string& study) {
  std::vector<Formula> list;
  Statement all(db, "SELECT formula FROM constraints WHERE study = ? ORDER BY number");
  all.bind(1, study);
  while (all.executeStep()) list.push_back({"", all.getColumn(0).getString(), {"study " + study}});
  return list;
}

}  // namespace edgenpu::sweep
