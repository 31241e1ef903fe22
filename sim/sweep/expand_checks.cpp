// What is refused about a study as a whole.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/suggest.h"
#include "sweep/columns.h"
#include "sweep/conditions.h"
#include "sweep/expand.h"
#include "sweep/findings.h"

namespace edgenpu::sweep {

using config::HardwareFile;
using config::Override;
using config::Value;
using result::Cell;

namespace {

// In a message: "matrix.engines=8 memory.channels=4".
std::string described(const std::vector<std::string>& columns, const std::vector<Cell>& inputs) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", columns[i], result::to_text(inputs[i]));
  return text;
}

}  // namespace

void Expansion::check_paths() const {
  Findings findings;
  const Assignments first = product() > 0 ? resolver_.assignments(0) : study_.base;
  const auto check = [&](const std::string& path, const Position& where, const Value& value) {
    if (is_workload_path(path)) return;
    const HardwareFile& file = resolver_.hardware(*last_value(first, "hardware"));
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

// What `run` refuses of the options of one step. `workload:` stands for all points and may hold what only some of
// them use (check_phases); an axis or a derived value shows in the row of its point.
void Expansion::check_pairs(const Assignments& all, workload::Phase phase) const {
  const bool prefill = phase == workload::Phase::prefill;
  for (std::size_t i = study_.base.size(); i < all.size(); ++i) {
    const Override& o = all[i];
    if (!prefill && o.path == "prompt")
      throw InputError(o.value.position(),
                       "a decode step has no new prompt: leave 'prompt' out of points whose phase is decode");
    if (prefill && o.path == "batch" && o.value.text() != "1")
      throw InputError(
          o.value.position(),
          fmt::format("a prefill step is of one request, found 'batch' {}: leave it out of points "
                      "whose phase is prefill",
                      config::describe(o.value)));
  }
}

void Expansion::check_phases() const {
  Findings findings;
  const bool prefill = phases_.count(workload::Phase::prefill) > 0,
             decode = phases_.count(workload::Phase::decode) > 0;
  const auto refuse = [&](const std::string& path, const Position& where) {
    if (path == "prompt" && !prefill)
      findings.add(InputError(where,
                              "a decode step has no new prompt, and every point is one: add phase: prefill, "
                              "or say with 'context' how many tokens are cached"));
    if (path == "batch" && !decode)
      findings.add(InputError(
          where, "a prefill step is of one request, and every point is one: 'batch' is for decode"));
  };
  for (const Override& o : study_.base) refuse(o.path, o.value.position());
  for (const Group& g : study_.groups)
    for (std::size_t i = 0; i < g.paths.size(); ++i) refuse(g.paths[i], g.positions[i]);
  for (const Formula& f : study_.derive) refuse(f.path, f.where);
  findings.throw_if_any();
}

void Expansion::check_conditions(const Conditions& c) {
  for (std::size_t i = 0; i < c.exclude.size(); ++i) {
    const Conditions::Exclusion& e = c.exclude[i];
    if (e.points > 0) continue;
    const std::string why = e.missing.empty() ? "" : fmt::format(" (no {})", join(e.missing));
    notes_.push_back(fmt::format("{}: '{}' excludes no point{}", to_string(study_.exclude[i].where),
                                 study_.exclude[i].text, why));
  }
  Findings findings;
  for (const auto& [text, points] : c.silent) {
    if (points < static_cast<std::int64_t>(points_.size())) continue;
    for (const Formula& f : study_.constraints)
      if (text.rfind(f.text, 0) == 0)
        findings.add(InputError(f.where, "neither true nor false at any point: " + text));
  }
  findings.throw_if_any();
}

// Whether leaving out an axis makes a point another one, or none.
bool Expansion::changes(const Point& point, const std::string& axis, Expressions& formulas) const {
  try {
    const Assignments without = resolver_.with_derived(resolver_.assignments(point.row, axis), formulas);
    return resolver_.key(resolver_.resolve(without)) != point.id;
  } catch (const InputError&) {
    return true;
  }
}

void Expansion::check_effects(Expressions& formulas) const {
  Findings findings;
  for (const Group& g : study_.groups) {
    for (std::size_t i = 0; i < g.paths.size(); ++i) {
      const std::string& path = g.paths[i];
      if (path == "hardware" || path == "model") continue;  // nothing stands in for them
      if (std::none_of(points_.begin(), points_.end(),
                       [&](const Point& p) { return changes(p, path, formulas); }))
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

}  // namespace edgenpu::sweep
