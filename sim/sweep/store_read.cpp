// A study's points as one wide table, with what its constraints say about them.
#include <algorithm>
#include <map>

#include "sweep/constraints.h"
#include "sweep/metrics.h"
#include "sweep/schema.h"
#include "sweep/sql.h"
#include "sweep/store.h"

namespace edgenpu::sweep {

using result::Cell;
using SQLite::Statement;
using SQLite::Transaction;

namespace {

struct StoredPoint {
  std::int64_t number = 0;
  std::string id, status, message;
  std::map<std::string, Cell> inputs;  // also what only constraints read
  std::vector<Cell> outputs, rest;     // rest: provenance and times
  std::map<std::string, double> energy;
};

using Points = std::map<std::int64_t, StoredPoint>;

std::vector<std::string> rest_columns() {
  std::vector<std::string> rest = provenance_columns();
  rest.insert(rest.end(), time_columns().begin(), time_columns().end());
  return rest;
}

Points read_rows(SQLite::Database& db, const std::string& study, const std::vector<std::string>& rest) {
  std::string query = "SELECT s.number, s.id, coalesce(p.status, 'missing'), coalesce(p.message, '')";
  for (const auto* list : {&output_columns(), &rest})
    for (const std::string& c : *list)
      query += c == "notes" && !keeps_notes(db) ? ", NULL" : ", p." + quoted_name(c);
  Statement all(db, query + " FROM study_points s LEFT JOIN points p ON p.id = s.id WHERE s.study = ?");
  all.bind(1, study);
  Points points;
  while (all.executeStep()) {
    StoredPoint& p = points[all.getColumn(0).getInt64()];
    int at = 0;
    p.number = all.getColumn(at++).getInt64();
    for (std::string* text : {&p.id, &p.status, &p.message}) *text = all.getColumn(at++).getString();
    for (std::size_t i = 0; i < output_columns().size(); ++i)
      p.outputs.push_back(cell_of(all.getColumn(at++)));
    for (std::size_t i = 0; i < rest.size(); ++i) p.rest.push_back(cell_of(all.getColumn(at++)));
  }
  return points;
}

void read_details(SQLite::Database& db, const std::string& study, Points& points) {
  Statement inputs(db, "SELECT number, name, value FROM inputs WHERE study = ?");
  inputs.bind(1, study);
  while (inputs.executeStep())
    points[inputs.getColumn(0).getInt64()].inputs[inputs.getColumn(1).getString()] =
        cell_of(inputs.getColumn(2));
  Statement energy(db,
                   "SELECT s.number, e.component, e.joules FROM study_points s JOIN energy e ON e.id = s.id "
                   "WHERE s.study = ?");
  energy.bind(1, study);
  while (energy.executeStep())
    points[energy.getColumn(0).getInt64()].energy[energy.getColumn(1).getString()] =
        energy.getColumn(2).getDouble();
}

// As if the point had not been run: nothing of it depends on whether an earlier study ran it.
void forget_run(StoredPoint& p) {
  std::fill(p.outputs.begin(), p.outputs.end(), Cell());
  std::fill(p.rest.begin(), p.rest.end(), Cell());
  p.energy.clear();
}

void give_verdict(StoredPoint& p, Constraints& constraints) {
  constraints.clear();
  for (const auto& [name, cell] : p.inputs) constraints.set(name, cell);
  Verdict verdict = constraints.before_run();
  if (!verdict.broken.empty()) {
    forget_run(p);
  } else if (p.status == "ok") {
    for (std::size_t i = 0; i < p.outputs.size(); ++i) constraints.set(output_columns()[i], p.outputs[i]);
    verdict = constraints.after_run();
  } else {
    return;
  }
  if (!verdict.broken.empty()) p.status = "infeasible";
  p.message = verdict.message();
}

void give_verdicts(SQLite::Database& db, const std::string& study, Points& points) {
  const std::vector<Formula> formulas = read_constraints(db, study);
  if (formulas.empty()) return;
  std::set<std::string> names;
  for (const auto& [number, p] : points)
    for (const auto& [name, cell] : p.inputs) names.insert(name);
  Constraints constraints(formulas, {names.begin(), names.end()});
  for (auto& [number, p] : points) give_verdict(p, constraints);
}

std::vector<std::string> components_of(const Points& points) {
  std::set<std::string> names;
  for (const auto& [number, p] : points)
    for (const auto& [component, joules] : p.energy) names.insert(component);
  return {names.begin(), names.end()};
}

std::vector<Cell> row_of(const StoredPoint& p, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& components) {
  std::vector<Cell> row = {p.number, p.id, p.status, p.message};
  for (const std::string& name : inputs) {
    const auto known = p.inputs.find(name);
    row.push_back(known == p.inputs.end() ? Cell() : known->second);
  }
  row.insert(row.end(), p.outputs.begin(), p.outputs.end());
  row.insert(row.end(), p.rest.begin(), p.rest.end());
  for (const std::string& c : components) {
    const auto known = p.energy.find(c);
    row.push_back(known == p.energy.end() ? Cell() : Cell(known->second));
  }
  return row;
}

}  // namespace

result::Table read_points(SQLite::Database& db, const std::string& study) {
  const Transaction consistent(db);  // other processes may be writing
  const std::vector<std::string> rest = rest_columns();
  Points points = read_rows(db, study, rest);
  read_details(db, study, points);
  give_verdicts(db, study, points);
  const std::vector<std::string> inputs = read_columns(db, study), components = components_of(points);
  result::Table table;
  table.columns = {"number", "id", "status", "message"};
  for (const auto* list : {&inputs, &output_columns(), &rest})
    table.columns.insert(table.columns.end(), list->begin(), list->end());
  for (const std::string& c : components) table.columns.push_back("energy_" + c + "_J");
  for (const auto& [number, p] : points) table.rows.push_back(row_of(p, inputs, components));
  return table;
}

}  // namespace edgenpu::sweep
