#include "study/expand.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/hash.h"
#include "base/suggest.h"
#include "study/columns.h"
#include "study/metrics.h"
#include "study/request.h"
#include "workload/trace_file.h"

namespace edgenpu::study {

using config::HardwareFile;
using config::Override;
using config::Value;
using result::Cell;

namespace {

constexpr std::int64_t kMostPoints = 10'000'000;
// Beyond these, more findings do not help.
constexpr std::size_t kMostFindings = 20;

// Collects findings, each once: the same wrong value stands in many points.
class Findings {
 public:
  void add(const InputError& e) {
    for (const Diagnostic& d : e.diagnostics())
      if (seen_.insert(to_string(d.position) + d.message).second) list_.push_back(d);
  }
  bool full() const { return list_.size() >= kMostFindings; }
  void throw_if_any() const {
    if (!list_.empty()) throw InputError(list_);
  }

 private:
  std::set<std::string> seen_;
  std::vector<Diagnostic> list_;
};

const Value* last_value(const std::vector<Override>& assignments, const std::string& path) {
  const Value* value = nullptr;
  for (const Override& o : assignments)
    if (o.path == path) value = &o.value;
  return value;
}

std::vector<NamedCell> workload_cells(const StepRequest& r) {
  const auto text = [](const std::string& s) { return Cell(s); };
  return {{"hardware", text(r.hardware)},
          {"model", text(r.model)},
          {"quant", text(r.quant)},
          {"transform", text(r.transform)},
          {"phase", text(r.phase == workload::Phase::decode ? "decode" : "prefill")},
          {"context", r.context},
          {"prompt", r.prompt},
          {"batch", r.batch},
          {"kv", text(r.kv)},
          {"detail", text(r.burst_detail ? "burst" : "row")},
          {"repeat", text(r.memo ? "memo" : "full")}};
}

// A derived number as YAML: 16, not 16.0.
Value derived_value(const Cell& cell, const Formula& f) {
  if (std::holds_alternative<std::monostate>(cell))
    throw InputError(f.where, fmt::format("'{}' gives no value for '{}'", f.text, f.path));
  return Value::scalar(result::to_text(cell), f.where);
}

// In a message: "matrix.engines=8 memory.channels=4".
std::string described(const std::vector<std::string>& columns, const std::vector<Cell>& inputs) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", columns[i], result::to_text(inputs[i]));
  return text;
}

}  // namespace

Expansion::Expansion(const Study& study, const std::string& data_dir, const std::string& tool)
    : study_(study), data_dir_(data_dir), tool_(tool) {
  if (product() > kMostPoints)
    throw InputError({study_.file, 1, 1}, fmt::format("more than {} points", kMostPoints));
  check_paths();
  make_columns();
  make_points();
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

const HardwareFile& Expansion::hardware(const Value& file) const {
  const auto known = files_.find(file.text());
  if (known != files_.end()) return known->second;
  try {
    return files_.emplace(file.text(), HardwareFile(file.text())).first->second;
  } catch (const InputError& e) {
    if (e.diagnostics()[0].position.line != 0) throw;
    throw InputError(file.position(), fmt::format("'{}': {}", file.text(), e.diagnostics()[0].message));
  }
}

Expansion::Assignments Expansion::assignments(std::int64_t row, const std::string& without) const {
  Assignments all = study_.base;
  std::vector<std::size_t> choice(study_.groups.size());
  for (std::size_t g = study_.groups.size(); g-- > 0;) {
    const auto rows = static_cast<std::int64_t>(study_.groups[g].rows.size());
    choice[g] = static_cast<std::size_t>(row % rows);
    row /= rows;
  }
  for (std::size_t g = 0; g < study_.groups.size(); ++g)
    for (std::size_t i = 0; i < study_.groups[g].paths.size(); ++i)
      if (study_.groups[g].paths[i] != without)
        all.push_back({study_.groups[g].paths[i], study_.groups[g].rows[choice[g]][i]});
  return all;
}

Resolved Expansion::resolve(const Assignments& all) const {
  try {
    Resolved r{request_of(all, data_dir_), {}};
    r.tree = hardware(*last_value(all, "hardware")).resolve(hardware_overrides(all));
    return r;
  } catch (const InputError& e) {
    throw blamed(e, all);
  }
}

Resolved Expansion::resolve(const Point& point) const {
  Assignments all = assignments(point.row);
  for (std::size_t i = 0; i < point.derived.size(); ++i)
    all.push_back({study_.derive[i].path, point.derived[i]});
  return resolve(all);
}

void Expansion::load(Expressions& formulas, const Resolved& resolved) const {
  formulas.clear();
  for (const NamedCell& c : named_cells(resolved.tree)) formulas.set(c.name, c.cell);
  for (const NamedCell& c : workload_cells(resolved.request)) formulas.set(c.name, c.cell);
}

Expansion::Assignments Expansion::with_derived(Assignments all, Expressions& formulas) const {
  if (study_.derive.empty()) return all;
  load(formulas, resolve(all));
  for (std::size_t i = 0; i < study_.derive.size(); ++i) {
    const Formula& f = study_.derive[i];
    all.push_back({f.path, derived_value(formulas.evaluate(static_cast<int>(i)), f)});
    const NamedCell cell = named_cell(f.path, all.back().value);
    formulas.set(cell.name, cell.cell);
  }
  return all;
}

const std::string& Expansion::trace_hash(const StepRequest& request) const {
  std::string workload;
  for (const NamedCell& c : workload_cells(request))
    if (c.name != "hardware") workload += result::to_text(c.cell) + "|";
  std::string& hash = trace_hashes_[workload];
  if (hash.empty()) hash = content_hash(workload::write_trace(trace_of(request)));
  return hash;
}

std::string Expansion::key(const Resolved& r) const {
  return content_hash(normal_text(r.tree) + trace_hash(r.request) +
                      (r.request.burst_detail ? "burst" : "row") + (r.request.memo ? "memo" : "full") +
                      tool_);
}

void Expansion::check_paths() const {
  Findings findings;
  const Assignments first = product() > 0 ? assignments(0) : study_.base;
  const auto check = [&](const std::string& path, const Position& where, const Value& value) {
    if (is_workload_path(path)) return;
    const HardwareFile& file = hardware(*last_value(first, "hardware"));
    const Value plain = file.resolve({});
    if (config::find_path(plain, path)) return;
    try {
      // Keys with a default need not stand in the file.
      check_hardware(file.resolve({{path, value}}));
    } catch (const InputError&) {
      findings.add(InputError(where, fmt::format("the resolved hardware has no '{}'{}", path,
                                                 did_you_mean(path, paths_of(plain)))));
    }
  };
  for (const Override& o : study_.base) check(o.path, o.value.position(), o.value);
  for (const Group& g : study_.groups)
    for (std::size_t i = 0; i < g.paths.size(); ++i)
      if (!g.rows.empty()) check(g.paths[i], g.positions[i], g.rows[0][i]);
  findings.throw_if_any();
}

std::vector<std::string> Expansion::all_columns() const {
  std::vector<std::string> columns = columns_;
  for (const NamedCell& c : workload_cells({})) columns.push_back(c.name);
  for (const auto& [name, file] : files_)
    for (const NamedCell& c : named_cells(file.resolve({}))) columns.push_back(c.name);
  return columns;
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
        for (const auto& row : g.rows) hardware(row[i]);
    }
  }
  findings.throw_if_any();
}

void Expansion::make_points() {
  std::vector<std::string> known = all_columns();
  for (const Formula& f : study_.derive) {  // a derived value that no file has yet
    std::string name = f.path;
    std::replace(name.begin(), name.end(), '.', '_');
    known.push_back(name);
  }
  const std::set<std::string> outputs(output_columns().begin(), output_columns().end());
  known.insert(known.end(), outputs.begin(), outputs.end());
  Expressions formulas(known);
  for (const Formula& f : study_.derive) formulas.add(f.text, f.where);
  std::vector<int> exclude, constraints;
  std::vector<Formula> early;
  for (const Formula& f : study_.exclude) exclude.push_back(formulas.add(f.text, f.where));
  for (const Formula& f : study_.constraints) {
    const int expression = formulas.add(f.text, f.where);
    const auto& read = formulas.columns_of(expression);
    const bool late =
        std::any_of(read.begin(), read.end(), [&](const auto& c) { return outputs.count(c) > 0; });
    if (late) {
      late_.push_back(f);
    } else {
      constraints.push_back(expression);
      early.push_back(f);
    }
  }
  Findings findings;
  const std::int64_t rows = product();
  for (std::int64_t row = 0; row < rows && !findings.full(); ++row) {
    try {
      Point p;
      p.row = row;
      const Assignments all = with_derived(assignments(row), formulas);
      const Resolved resolved = resolve(all);
      load(formulas, resolved);
      if (std::any_of(exclude.begin(), exclude.end(), [&](int e) { return formulas.holds(e); })) {
        ++excluded_;
        continue;
      }
      try {
        check_hardware(resolved.tree);
        p.id = key(resolved);
      } catch (const InputError& e) {
        throw blamed(e, all);
      }
      for (std::size_t i = 0; i < constraints.size() && p.broken.empty(); ++i)
        if (!formulas.holds(constraints[i])) p.broken = early[i].text;
      for (const Group& g : study_.groups)
        for (const std::string& path : g.paths)
          p.inputs.push_back(named_cell(path, *last_value(all, path)).cell);
      for (std::size_t i = 0; i < study_.derive.size(); ++i) {
        p.derived.push_back(all[all.size() - study_.derive.size() + i].value);
        const NamedCell cell = named_cell(study_.derive[i].path, p.derived.back());
        if (points_.empty()) columns_.push_back(cell.name);
        p.inputs.push_back(cell.cell);
      }
      p.number = static_cast<std::int64_t>(points_.size()) + 1;
      points_.push_back(std::move(p));
    } catch (const InputError& e) {
      findings.add(e);
    }
  }
  findings.throw_if_any();
  if (points_.empty())
    throw InputError({study_.file, 1, 1}, fmt::format("no points: {} of {} are excluded", excluded_, rows));
  check_effects(formulas);
}

void Expansion::check_effects(Expressions& formulas) const {
  Findings findings;
  for (const Group& g : study_.groups) {
    for (std::size_t i = 0; i < g.paths.size(); ++i) {
      const std::string& path = g.paths[i];
      if (path == "hardware" || path == "model") continue;  // nothing stands in for them
      const bool changes = std::any_of(points_.begin(), points_.end(), [&](const Point& p) {
        return key(resolve(with_derived(assignments(p.row, path), formulas))) != p.id;
      });
      if (!changes)
        findings.add(InputError(
            g.positions[i],
            fmt::format("the axis '{}' changes nothing: every point is the same without it", path)));
    }
  }
  findings.throw_if_any();
}

void Expansion::check_distinct() const {
  std::map<std::string, const Point*> seen;
  Findings findings;
  for (const Point& p : points_) {
    const auto [known, fresh] = seen.emplace(p.id, &p);
    if (fresh) continue;
    findings.add(InputError(
        {study_.file, 1, 1},
        fmt::format("points {} and {} resolve to the same configuration: {}; {}", known->second->number,
                    p.number, described(columns_, known->second->inputs), described(columns_, p.inputs))));
    if (findings.full()) break;
  }
  findings.throw_if_any();
}

std::string Expansion::hash() const {
  std::string ids;
  for (const Point& p : points_) ids += p.id;
  return content_hash(ids);
}

std::string Expansion::broken_by(const Resolved& resolved, const std::vector<Cell>& outputs) const {
  if (late_.empty()) return "";
  std::vector<std::string> known = all_columns();
  known.insert(known.end(), output_columns().begin(), output_columns().end());
  Expressions formulas(known);
  for (const Formula& f : late_) formulas.add(f.text, f.where);
  load(formulas, resolved);
  for (std::size_t i = 0; i < outputs.size(); ++i) formulas.set(output_columns()[i], outputs[i]);
  for (std::size_t i = 0; i < late_.size(); ++i)
    if (!formulas.holds(static_cast<int>(i))) return late_[i].text;
  return "";
}

}  // namespace edgenpu::study
