// What is refused about a study as a whole.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/suggest.h"
#include "study/columns.h"
#include "study/expand.h"
#include "study/findings.h"

namespace edgenpu::study {

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

}  // namespace edgenpu::study
