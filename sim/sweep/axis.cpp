#include "sweep/axis.h"

#include <fmt/format.h>
#include <numeric>
#include <set>

#include "sweep/columns.h"
#include "sweep/range.h"

namespace edgenpu::sweep {

using config::IntRange;
using config::MapReader;
using config::Provenance;
using config::Value;

namespace {

constexpr IntRange kSteps{2, 1'000'000}, kPoints{1, 10'000'000};
// Draws beyond which no new sample is hoped for: of n equally likely values the last one takes n ln n.
std::size_t patience(std::size_t points) {
  return 64 * points + 100'000;
}

// One path of a sample: a list of values or a continuum.
struct Source {
  std::string path;
  std::vector<Value> values;
  std::optional<Range> range;

  // How many different values it has.
  double count() const {
    if (range) return range->count();
    std::set<std::string> distinct;
    for (const Value& v : values) distinct.insert(normal_text(v));
    return static_cast<double>(distinct.size());
  }
  Value at(double share) const {
    if (range) return range->at(share);
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
  }
};

std::optional<Source> read_source(const std::string& path, const Value& form, Diagnostics& out) {
  Source s{path, {}, {}};
  if (form.is_map()) {
    MapReader r(form, out, "the range of '" + path + "'", Provenance::optional);
    s.range = Range::read(path, r, out);
    r.finish();
    if (!s.range) return std::nullopt;
  } else {
    s.values = axis_values(path, form, out);
    if (s.values.empty()) return std::nullopt;
  }
  return s;
}

std::string key_of(const std::vector<Value>& row) {
  std::string key;
  for (const Value& v : row) key += normal_text(v) + "|";
  return key;
}

std::vector<std::vector<Value>> draw_random(const std::vector<Source>& sources, std::size_t points,
                                            Random& random) {
  std::vector<std::vector<Value>> rows;
  std::set<std::string> seen;
  for (std::size_t tries = 0; rows.size() < points && tries < patience(points); ++tries) {
    std::vector<Value> row;
    for (const Source& s : sources) row.push_back(s.at(random.unit()));
    if (seen.insert(key_of(row)).second) rows.push_back(std::move(row));
  }
  return rows;
}

// Each path's span is cut into `points` equal strata, each hit once, in a random order of its own.
std::vector<std::vector<Value>> draw_hypercube(const std::vector<Source>& sources, std::size_t points,
                                               Random& random) {
  std::vector<std::vector<Value>> rows;
  for (std::size_t drawn = 0; drawn < patience(points); drawn += points) {
    rows.assign(points, {});
    for (const Source& s : sources) {
      std::vector<std::size_t> order(points);
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (std::size_t i = points; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      for (std::size_t i = 0; i < points; ++i)
        rows[i].push_back(
            s.at((static_cast<double>(order[i]) + random.unit()) / static_cast<double>(points)));
    }
    std::set<std::string> seen;
    for (const auto& row : rows) seen.insert(key_of(row));
    if (seen.size() == points) return rows;
  }
  rows.clear();
  return rows;
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

std::size_t Random::below(std::size_t limit) {
  return static_cast<std::size_t>(unit() * static_cast<double>(limit));
}

namespace {

std::vector<Value> stepped(const std::string& path, const Range& range, const Value& form, Diagnostics& out) {
  if (range.is_log()) {
    out.add(form.position(),
            fmt::format("'{}': values at every 'step' are evenly spaced; 'scale: log' goes with "
                        "'steps'",
                        path));
  } else if (range.count() > static_cast<double>(kSteps.high)) {
    out.add(form.position(), fmt::format("'{}': more than {} values", path, kSteps.high));
  } else {
    return range.every_step();
  }
  return {};
}

}  // namespace

std::vector<Value> axis_values(const std::string& path, const Value& form, Diagnostics& out) {
  if (form.is_list()) {
    if (form.items().empty())
      out.add(form.position(), fmt::format("'{}': the list of values is empty", path));
    for (const Value& v : form.items())
      if (v.is_null()) out.add(form.position(), fmt::format("'{}': a value is missing", path));
    return form.items();
  }
  if (!form.is_map()) {
    out.add(form.position(),
            fmt::format("'{}' needs a list of values or a range {{from:, to:, steps:}}, found {}", path,
                        config::describe(form)));
    return {};
  }
  MapReader r(form, out, "the range of '" + path + "'", Provenance::optional);
  const auto range = Range::read(path, r, out);
  const bool counted = r.has("steps");
  const std::int64_t steps = counted ? r.integer("steps", kSteps) : 0;
  r.accept("steps");
  r.finish();
  if (!range) return {};
  if (counted == range->has_step()) {
    out.add(form.position(), fmt::format("'{}': a range needs either 'steps' or 'step'", path));
    return {};
  }
  if (!counted) return stepped(path, *range, form, out);
  std::vector<Value> values;
  for (std::int64_t i = 0; i < steps; ++i)
    values.push_back(range->at(static_cast<double>(i) / static_cast<double>(steps - 1)));
  return values;
}

Group sample(Sampling kind, const Value& form, Diagnostics& out) {
  Group group;
  MapReader r(form, out, kind == Sampling::random ? "'random'" : "'latin_hypercube'", Provenance::optional);
  const auto points = static_cast<std::size_t>(r.integer("points", kPoints));
  Random random(static_cast<std::uint64_t>(r.integer("seed", {0, INT64_MAX})));
  std::vector<Source> sources;
  if (const Value* over = r.map("over")) {
    for (const Value::Entry& e : over->entries()) {
      auto source = read_source(e.key, e.value, out);
      if (!source) continue;
      group.paths.push_back(e.key);
      group.positions.push_back(e.key_position);
      sources.push_back(std::move(*source));
    }
    if (over->entries().empty()) out.add(over->position(), "'over' names no path");
  }
  r.finish();
  if (sources.empty() || !out.empty()) return group;
  double most = 1;
  for (const Source& s : sources) most *= s.count();
  if (most < static_cast<double>(points)) {
    out.add(form.position(),
            fmt::format("cannot draw {} different points from these values: there are {}", points, most));
    return group;
  }
  group.rows = kind == Sampling::random ? draw_random(sources, points, random)
                                        : draw_hypercube(sources, points, random);
  if (group.rows.size() < points)
    out.add(form.position(), fmt::format("cannot draw {} different points from these values", points));
  return group;
}

}  // namespace edgenpu::sweep
