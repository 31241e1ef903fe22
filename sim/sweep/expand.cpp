#include "sweep/expand.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/hash.h"
#include "sweep/columns.h"
#include "sweep/conditions.h"
#include "sweep/findings.h"
#include "sweep/metrics.h"
#include "sweep/request.h"
#include "sweep/settings.h"

namespace edgenpu::sweep {

using result::Cell;

namespace {

constexpr std::int64_t kMostPoints = 10'000'000;

}  // namespace

Expansion::Conditions::Conditions(const Study& study, const std::vector<std::string>& columns)
    : formulas(columns), constraints(study.constraints, columns) {
  for (const Formula& f : study.derive) formulas.add(f.text, f.where);
  for (const Formula& f : study.exclude) exclude.push_back({formulas.add(f.text, f.where), 0, {}});
}

bool Expansion::Conditions::excludes() {
  bool any = false;
  for (Exclusion& e : exclude) {
    const Cell value = formulas.evaluate(e.expression);
    if (std::holds_alternative<std::monostate>(value)) e.missing = formulas.missing(e.expression);
    if (!truth(value)) continue;
    ++e.points;
    any = true;
  }
  return any;
}

void Expansion::Conditions::count(const Verdict& verdict) {
  for (const std::string& text : verdict.silent) ++silent[text];
}

Expansion::Expansion(const Study& study, const std::string& data_dir, const std::string& tool)
    : study_(study), resolver_(study_, data_dir, tool) {
  if (product() > kMostPoints)
    throw InputError({study_.file, 1, 1}, fmt::format("more than {} points", kMostPoints));
  notes_ = check_settings(study_);
  check_paths();
  make_columns();
  Conditions conditions(study_, all_columns());
  make_points(conditions);
  check_conditions(conditions);
  check_effects(conditions.formulas);
  check_distinct();
}

std::int64_t Expansion::product() const {
  std::int64_t points = 1;
  for (const Group& g : study_.groups) {
    points *= static_cast<std::int64_t>(g.rows.size());
    if (points > kMostPoints) break;
  }
  return points;
}

void Expansion::make_columns() {
  Findings findings;
  for (const Group& g : study_.groups) {
    for (std::size_t i = 0; i < g.paths.size(); ++i) {
      if (g.rows.empty()) continue;
      columns_.push_back(named_cell(g.paths[i], g.rows[0][i]).name);
      for (const auto& row : g.rows)
        if (named_cell(g.paths[i], row[i]).name != columns_.back())
          findings.add(
              InputError(row[i].position(), fmt::format("'{}' has values of different units", g.paths[i])));
      if (g.paths[i] == "hardware")
        for (const auto& row : g.rows) resolver_.hardware(row[i]);
    }
  }
  findings.throw_if_any();
}

std::vector<std::string> Expansion::all_columns() const {
  std::vector<std::string> columns = columns_;
  for (const std::string& c : resolver_.known_columns()) columns.push_back(c);
  for (const Formula& f : study_.derive) {  // a derived value that no file has yet
    columns.push_back(f.path);
    std::replace(columns.back().begin(), columns.back().end(), '.', '_');
  }
  columns.insert(columns.end(), output_columns().begin(), output_columns().end());
  return columns;
}

void Expansion::make_points(Conditions& conditions) {
  Findings findings;
  const std::int64_t rows = product();
  for (std::int64_t row = 0; row < rows && !findings.full(); ++row) {
    try {
      add_point(row, conditions);
    } catch (const InputError& e) {
      findings.add(e);
    }
  }
  findings.throw_if_any();
  if (points_.empty())
    throw InputError({study_.file, 1, 1}, fmt::format("no points: {} of {} are excluded", excluded_, rows));
  check_phases();
}

void Expansion::add_point(std::int64_t row, Conditions& conditions) {
  const Assignments all = resolver_.with_derived(resolver_.assignments(row), conditions.formulas);
  const Resolved resolved = resolver_.resolve(all);
  Point p;
  p.row = row;
  add_inputs(p, all);
  show(p, resolved, conditions);
  if (conditions.excludes()) {
    ++excluded_;
    return;
  }
  p.number = static_cast<std::int64_t>(points_.size()) + 1;
  const Verdict verdict = conditions.constraints.before_run();
  p.broken = verdict.broken;
  conditions.count(verdict);
  if (points_.empty())
    for (const std::string& c : conditions.constraints.inputs())
      if (!std::count(columns_.begin(), columns_.end(), c)) constrained_.push_back(c);
  for (const std::string& c : constrained_) p.constrained.push_back(conditions.constraints.value(c));
  check_pairs(all, resolved.request.phase);
  phases_.insert(resolved.request.phase);
  try {
    check_hardware(resolved.tree);
    p.id = resolver_.key(resolved);
  } catch (const InputError& e) {
    throw blamed(e, all);
  }
  points_.push_back(std::move(p));
}

void Expansion::add_inputs(Point& p, const Assignments& all) {
  for (const Group& g : study_.groups)
    for (const std::string& path : g.paths) p.inputs.push_back(named_cell(path, *last_value(all, path)).cell);
  for (std::size_t i = 0; i < study_.derive.size(); ++i) {
    p.derived.push_back(all[all.size() - study_.derive.size() + i].value);
    const Formula& f = study_.derive[i];
    const NamedCell cell = named_cell(f.path, p.derived.back());
    if (columns_.size() == p.inputs.size()) columns_.push_back(cell.name);
    if (columns_[p.inputs.size()] != cell.name)
      throw InputError(f.where, fmt::format("'{}' has values of different units", f.path));
    p.inputs.push_back(cell.cell);
  }
}

// To the expressions: what the point resolves to, and its inputs under the names that they have in the study.
void Expansion::show(const Point& p, const Resolved& resolved, Conditions& conditions) const {
  conditions.formulas.clear();
  conditions.constraints.clear();
  const auto set = [&](const std::string& name, const Cell& cell) {
    conditions.formulas.set(name, cell);
    conditions.constraints.set(name, cell);
  };
  for (const NamedCell& c : resolver_.cells(resolved)) set(c.name, c.cell);
  for (std::size_t i = 0; i < p.inputs.size(); ++i) set(columns_[i], p.inputs[i]);
}

std::vector<int> Expansion::groups() const {
  std::vector<int> groups;
  for (std::size_t g = 0; g < study_.groups.size(); ++g)
    groups.insert(groups.end(), study_.groups[g].paths.size(), static_cast<int>(g));
  groups.resize(columns_.size(), -1);
  return groups;
}

Resolved Expansion::resolve(const Point& point) const {
  Assignments all = resolver_.assignments(point.row);
  for (std::size_t i = 0; i < point.derived.size(); ++i)
    all.push_back({study_.derive[i].path, point.derived[i]});
  return resolver_.resolve(all);
}

std::string Expansion::hash() const {
  std::string text;
  for (const std::string& c : columns_) text += c + "\n";
  for (const Formula& f : study_.constraints) text += f.text + "\n";
  for (const int g : groups()) text += std::to_string(g) + "\n";
  for (const Point& p : points_) {
    text += p.id;
    for (const Cell& c : p.inputs) text += result::to_text(c) + "\t";
  }
  return content_hash(text);
}

}  // namespace edgenpu::sweep
