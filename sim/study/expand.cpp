#include "study/expand.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/hash.h"
#include "study/columns.h"
#include "study/findings.h"
#include "study/metrics.h"
#include "study/request.h"

namespace edgenpu::study {

using result::Cell;

namespace {

constexpr std::int64_t kMostPoints = 10'000'000;

}  // namespace

// The study's formulas, prepared: derived values first, as Resolver wants them.
struct Expansion::Conditions {
  explicit Conditions(const std::vector<std::string>& columns) : formulas(columns) {}

  bool excludes() {
    return std::any_of(exclude.begin(), exclude.end(), [&](int e) { return formulas.holds(e); });
  }
  std::string broken() {
    for (const auto& [expression, text] : constraints)
      if (!formulas.holds(expression)) return text;
    return "";
  }

  Expressions formulas;
  std::vector<int> exclude;
  std::vector<std::pair<int, std::string>> constraints;  // on inputs
};

Expansion::Expansion(const Study& study, const std::string& data_dir, const std::string& tool)
    : study_(study), resolver_(study_, data_dir, tool) {
  if (product() > kMostPoints)
    throw InputError({study_.file, 1, 1}, fmt::format("more than {} points", kMostPoints));
  check_paths();
  make_columns();
  Conditions conditions(all_columns());
  prepare(conditions);
  make_points(conditions);
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

void Expansion::prepare(Conditions& c) {
  for (const Formula& f : study_.derive) c.formulas.add(f.text, f.where);
  for (const Formula& f : study_.exclude) c.exclude.push_back(c.formulas.add(f.text, f.where));
  const std::set<std::string> outputs(output_columns().begin(), output_columns().end());
  for (const Formula& f : study_.constraints) {
    const int expression = c.formulas.add(f.text, f.where);
    const auto& read = c.formulas.columns_of(expression);
    if (std::any_of(read.begin(), read.end(), [&](const auto& name) { return outputs.count(name) > 0; })) {
      late_.push_back(f);
    } else {
      c.constraints.emplace_back(expression, f.text);
    }
  }
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
}

void Expansion::add_point(std::int64_t row, Conditions& conditions) {
  const Assignments all = resolver_.with_derived(resolver_.assignments(row), conditions.formulas);
  const Resolved resolved = resolver_.resolve(all);
  resolver_.load(conditions.formulas, resolved);
  if (conditions.excludes()) {
    ++excluded_;
    return;
  }
  Point p;
  p.row = row;
  p.number = static_cast<std::int64_t>(points_.size()) + 1;
  p.broken = conditions.broken();
  try {
    check_hardware(resolved.tree);
    p.id = resolver_.key(resolved);
  } catch (const InputError& e) {
    throw blamed(e, all);
  }
  for (const Group& g : study_.groups)
    for (const std::string& path : g.paths) p.inputs.push_back(named_cell(path, *last_value(all, path)).cell);
  for (std::size_t i = 0; i < study_.derive.size(); ++i) {
    p.derived.push_back(all[all.size() - study_.derive.size() + i].value);
    const NamedCell cell = named_cell(study_.derive[i].path, p.derived.back());
    if (points_.empty()) columns_.push_back(cell.name);
    p.inputs.push_back(cell.cell);
  }
  points_.push_back(std::move(p));
}

Resolved Expansion::resolve(const Point& point) const {
  Assignments all = resolver_.assignments(point.row);
  for (std::size_t i = 0; i < point.derived.size(); ++i)
    all.push_back({study_.derive[i].path, point.derived[i]});
  return resolver_.resolve(all);
}

std::string Expansion::hash() const {
  std::string ids;
  for (const Point& p : points_) ids += p.id;
  return content_hash(ids);
}

std::string Expansion::broken_by(const Resolved& resolved, const std::vector<Cell>& outputs) const {
  if (late_.empty()) return "";
  Expressions formulas(all_columns());
  for (const Formula& f : late_) formulas.add(f.text, f.where);
  resolver_.load(formulas, resolved);
  for (std::size_t i = 0; i < outputs.size(); ++i) formulas.set(output_columns()[i], outputs[i]);
  for (std::size_t i = 0; i < late_.size(); ++i)
    if (!formulas.holds(static_cast<int>(i))) return late_[i].text;
  return "";
}

}  // namespace edgenpu::study
