// A study's points as one wide table.
#include <algorithm>
#include <map>

#include "study/metrics.h"
#include "study/schema.h"
#include "study/sql.h"
#include "study/store.h"

namespace edgenpu::study {

using result::Cell;
using SQLite::Statement;
using SQLite::Transaction;

namespace {

std::vector<std::string> inputs_of(SQLite::Database& db, const std::string& study) {
  Statement columns(db, "SELECT columns FROM studies WHERE name = ?");
  columns.bind(1, study);
  std::vector<std::string> names;
  if (!columns.executeStep()) return names;
  const std::string text = columns.getColumn(0).getString();
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    names.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

std::vector<std::string> components_of(SQLite::Database& db, const std::string& study) {
  Statement all(
      db,
      "SELECT DISTINCT component FROM energy WHERE id IN (SELECT id FROM study_points WHERE study = ?) "
      "ORDER BY component");
  all.bind(1, study);
  std::vector<std::string> names;
  while (all.executeStep()) names.push_back(all.getColumn(0).getString());
  return names;
}

// Fills `columns` from (number, name, value) rows of `query`.
void pivot(SQLite::Database& db, const std::string& query, const std::string& study,
           const std::vector<std::string>& names, std::size_t first,
           std::map<std::int64_t, std::size_t>& row_of, result::Table& table) {
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < names.size(); ++i) at[names[i]] = first + i;
  Statement all(db, query);
  all.bind(1, study);
  while (all.executeStep()) {
    const auto row = row_of.find(all.getColumn(0).getInt64());
    const auto column = at.find(all.getColumn(1).getString());
    if (row != row_of.end() && column != at.end())
      table.rows[row->second][column->second] = cell_of(all.getColumn(2));
  }
}

}  // namespace

result::Table read_points(SQLite::Database& db, const std::string& study) {
  const Transaction consistent(db);  // other processes may be writing
  const std::vector<std::string> inputs = inputs_of(db, study), components = components_of(db, study);
  std::vector<std::string> fixed = output_columns();
  for (const auto* list : {&provenance_columns(), &time_columns()})
    fixed.insert(fixed.end(), list->begin(), list->end());

  result::Table table;
  table.columns = {"number", "id", "status", "message"};
  const std::size_t first_input = table.columns.size();
  table.columns.insert(table.columns.end(), inputs.begin(), inputs.end());
  table.columns.insert(table.columns.end(), fixed.begin(), fixed.end());
  const std::size_t first_energy = table.columns.size();
  for (const std::string& c : components) table.columns.push_back("energy_" + c + "_J");

  std::string query = "SELECT s.number, s.id, coalesce(p.status, 'missing'), coalesce(p.message, '')";
  for (const std::string& c : fixed) query += ", p." + quoted_name(c);
  Statement all(
      db,
      query + " FROM study_points s LEFT JOIN points p ON p.id = s.id WHERE s.study = ? ORDER BY s.number");
  all.bind(1, study);
  std::map<std::int64_t, std::size_t> row_of;
  while (all.executeStep()) {
    std::vector<Cell> row(table.columns.size());
    for (std::size_t i = 0; i < first_input; ++i) row[i] = cell_of(all.getColumn(static_cast<int>(i)));
    for (std::size_t i = 0; i < fixed.size(); ++i)
      row[first_input + inputs.size() + i] = cell_of(all.getColumn(static_cast<int>(first_input + i)));
    row_of[all.getColumn(0).getInt64()] = table.rows.size();
    table.rows.push_back(std::move(row));
  }
  pivot(db, "SELECT number, name, value FROM inputs WHERE study = ?", study, inputs, first_input, row_of,
        table);
  pivot(db,
        "SELECT s.number, e.component, e.joules FROM study_points s JOIN energy e ON e.id = s.id WHERE "
        "s.study = ?",
        study, components, first_energy, row_of, table);
  return table;
}

}  // namespace edgenpu::study
