#include "sweep/expressions.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sqlite3.h>

#include "base/suggest.h"
#include "sweep/sql.h"

namespace edgenpu::sweep {

using result::Cell;

namespace {

struct Formula {
  std::string text;
  Position where;
  std::set<std::string> columns;
  std::unique_ptr<SQLite::Statement> statement;
};

}  // namespace

struct Expressions::State {
  SQLite::Database database{":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
  std::vector<std::string> columns;
  std::vector<Formula> formulas;
  std::map<std::string, Cell> values;
  std::set<std::string> read;  // by the formula being prepared
};

Expressions::Expressions(std::vector<std::string> columns) : state_(std::make_unique<State>()) {
  std::string create;
  for (const std::string& c : distinct_names(columns)) {
    state_->columns.push_back(c);
    create += (create.empty() ? "" : ", ") + quoted_name(c);
  }
  if (create.empty()) create = "nothing";
  state_->database.exec("CREATE TABLE point (" + create + ")");
  allow_formulas_only(state_->database, &state_->read);
}

Expressions::~Expressions() = default;

int Expressions::add(const std::string& text, const Position& where) {
  state_->read.clear();
  check_formula(state_->database, text, where, "SELECT ({}) FROM point", state_->columns);
  Formula f{text, where, state_->read, nullptr};
  // Each column becomes a parameter of the same name, bound for each point: nothing is written to evaluate
  // it.
  std::string source;
  for (const std::string& c : f.columns)
    source +=
        (source.empty() ? "" : ", ") +
        fmt::format("?{} AS {}", std::distance(f.columns.begin(), f.columns.find(c)) + 1, quoted_name(c));
  const std::string from = source.empty() ? "" : " FROM (SELECT " + source + ")";
  f.statement = std::make_unique<SQLite::Statement>(state_->database, "SELECT (" + text + ")" + from);
  state_->formulas.push_back(std::move(f));
  return static_cast<int>(state_->formulas.size()) - 1;
}

const std::set<std::string>& Expressions::columns_of(int expression) const {
  return state_->formulas[static_cast<std::size_t>(expression)].columns;
}

void Expressions::set(const std::string& column, const Cell& value) {
  state_->values[column] = value;
}

void Expressions::clear() {
  state_->values.clear();
}

Cell Expressions::value(const std::string& column) const {
  const auto known = state_->values.find(column);
  return known == state_->values.end() ? Cell() : known->second;
}

Cell Expressions::evaluate(int expression) {
  Formula& f = state_->formulas[static_cast<std::size_t>(expression)];
  SQLite::Statement& s = *f.statement;
  s.reset();
  int parameter = 0;
  for (const std::string& c : f.columns) {
    ++parameter;
    const Cell cell = value(c);
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
      s.bind(parameter, static_cast<double>(*whole));  // 5 / 2 of two columns is 2.5
    } else {
      bind(s, parameter, cell);
    }
  }
  try {
    s.executeStep();
    return cell_of(s.getColumn(0));
  } catch (const SQLite::Exception& e) {
    throw InputError(f.where, fmt::format("'{}': {}", f.text, e.what()));
  }
}

bool Expressions::holds(int expression) {
  return truth(evaluate(expression));
}

std::vector<std::string> Expressions::missing(int expression) const {
  std::vector<std::string> names;
  for (const std::string& c : columns_of(expression))
    if (std::holds_alternative<std::monostate>(value(c))) names.push_back(c);
  return names;
}

bool truth(const Cell& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole != 0;
  if (const auto* real = std::get_if<double>(&value)) return *real != 0;
  return false;
}

}  // namespace edgenpu::sweep
