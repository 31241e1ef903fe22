// Main effects: what each input does on its own.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

#include "base/suggest.h"
#include "sweep/query.h"

namespace edgenpu::sweep {

using result::Cell;
using result::Table;

namespace {

struct Level {
  std::string label;
  Cell first;  // for the order
  double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
  std::int64_t n = 0;
  double mean() const { return sum / static_cast<double>(n); }
  void add(double value) {
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
    ++n;
  }
};

struct Sample {
  Cell input;
  double metric;
};

constexpr std::size_t kMostLevels = 8, kQuarters = 4;

std::vector<Level> levels_of(std::vector<Sample> samples) {
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    const auto x = number_of(a.input), y = number_of(b.input);
    return x && y ? *x < *y : result::to_text(a.input) < result::to_text(b.input);
  });
  std::vector<Level> levels;
  for (const Sample& s : samples) {
    if (levels.empty() || !(levels.back().first == s.input))
      levels.push_back({result::to_text(s.input), s.input});
    levels.back().add(s.metric);
  }
  const bool numeric = std::all_of(samples.begin(), samples.end(),
                                   [](const Sample& s) { return number_of(s.input).has_value(); });
  if (levels.size() <= kMostLevels || !numeric) return levels;
  std::vector<Level> quarters;
  for (std::size_t q = 0; q < kQuarters; ++q) {
    const std::size_t first = samples.size() * q / kQuarters, end = samples.size() * (q + 1) / kQuarters;
    quarters.push_back({fmt::format("{} to {}", result::to_text(samples[first].input),
                                    result::to_text(samples[end - 1].input)),
                        samples[first].input});
    for (std::size_t i = first; i < end; ++i) quarters.back().add(samples[i].metric);
  }
  return quarters;
}

// A row that counts: its inputs, as text, and the metric.
struct Result {
  std::vector<Cell> inputs;
  double metric = 0;
};

std::vector<Result> results_of(const Table& table, const std::vector<std::string>& inputs,
                               const std::string& metric) {
  const std::size_t m = column_index(table, metric, {"--metric", 0, 0});
  std::vector<std::size_t> at;
  for (const std::string& input : inputs) at.push_back(column_index(table, input, {"--inputs", 0, 0}));
  std::vector<Result> results;
  for (const auto& row : table.rows) {
    const auto value = number_of(row[m]);
    if (!value || !is_ok(table, row)) continue;
    Result r{{}, *value};
    for (const std::size_t c : at) r.inputs.push_back(row[c]);
    results.push_back(std::move(r));
  }
  return results;
}

// The results whose companions are there at every level of `input`.
std::vector<Result> alike(const std::vector<Result>& results, std::size_t input,
                          const std::vector<int>& groups) {
  const auto companions = [&](const Result& r) {
    std::string key;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i] >= 0 && groups[i] != groups[input]) key += result::to_text(r.inputs[i]) + "\n";
    return key;
  };
  std::map<std::string, std::set<std::string>> levels;
  std::set<std::string> all;
  for (const Result& r : results) {
    const std::string level = result::to_text(r.inputs[input]);
    levels[companions(r)].insert(level);
    all.insert(level);
  }
  std::vector<Result> kept;
  for (const Result& r : results)
    if (levels[companions(r)].size() == all.size()) kept.push_back(r);
  return kept;
}

struct Effect {
  std::string input, differs_too;
  std::vector<Level> levels;
  double range = 0;
};

Effect effect_of(const std::string& input, std::size_t at, const std::vector<Result>& results) {
  std::vector<Sample> samples;
  double sum = 0;
  for (const Result& r : results) {
    samples.push_back({r.inputs[at], r.metric});
    sum += r.metric;
  }
  Effect e{input, "", levels_of(samples), 0};
  const auto [low, high] = std::minmax_element(
      e.levels.begin(), e.levels.end(), [](const Level& a, const Level& b) { return a.mean() < b.mean(); });
  e.range = (high->mean() - low->mean()) / std::abs(sum / static_cast<double>(samples.size()));
  return e;
}

// The inputs that advance with one.
std::string partners(const std::vector<std::string>& inputs, const std::vector<int>& groups,
                     std::size_t input) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (i != input && groups[i] == groups[input]) names.push_back(inputs[i]);
  return join(names);
}

// Levels at which no point has a result: each is infeasible, failed or missing.
std::string lost_levels(const Table& table, const std::string& input, std::size_t at,
                        const std::vector<Result>& results) {
  std::set<std::string> found;
  for (const Result& r : results) found.insert(result::to_text(r.inputs[at]));
  std::vector<std::string> lost;
  const std::size_t c = column_index(table, input, {"--inputs", 0, 0});
  for (const auto& row : table.rows)
    if (found.insert(result::to_text(row[c])).second) lost.push_back(result::to_text(row[c]));
  return join(lost);
}

void refuse_mixtures(const Table& table, const std::vector<std::string>& inputs, const std::string& metric) {
  for (const std::string& c : questions(table, inputs, {{metric, false}}))
    if (c == "phase" || c == "power_scope")
      throw InputError(
          {"--metric", 0, 0},
          fmt::format("the points differ in '{0}', and means of {1} over it say nothing; choose one with "
                      "--where \"{0} = '...'\"",
                      c, metric));
}

}  // namespace

Effects main_effects(const Table& table, const std::vector<std::string>& inputs,
                     const std::vector<int>& groups, const std::string& metric) {
  const std::vector<Result> all = results_of(table, inputs, metric);
  refuse_mixtures(table, inputs, metric);
  Effects effects;
  std::vector<Effect> list;
  for (std::size_t i = 0; i < inputs.size() && !all.empty(); ++i) {
    const bool derived = groups[i] < 0;
    const std::string lost = derived ? "" : lost_levels(table, inputs[i], i, all);
    if (!lost.empty())
      effects.notes.push_back(fmt::format("{}: no point has a result at {}", inputs[i], lost));
    const std::vector<Result> like = derived ? std::vector<Result>() : alike(all, i, groups);
    list.push_back(effect_of(inputs[i], i, like.empty() ? all : like));
    list.back().differs_too = like.empty() ? "other inputs" : partners(inputs, groups, i);
    if (like.empty() && !derived)
      effects.notes.push_back(
          fmt::format("{}: no point has companions with a result at every level; its means are over "
                      "different points",
                      inputs[i]));
    if (!like.empty() && like.size() < all.size())
      effects.notes.push_back(
          fmt::format("{}: {} of {} points left out, whose companions lack a result at some level", inputs[i],
                      all.size() - like.size(), all.size()));
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Effect& a, const Effect& b) { return a.range > b.range; });
  effects.table.columns = {
      "input", "level",      "points", "mean_" + metric, "lowest_" + metric, "highest_" + metric,
      "range", "differs_too"};
  for (const Effect& e : list)
    for (const Level& l : e.levels)
      effects.table.rows.push_back({e.input, l.label, l.n, l.mean(), l.low, l.high, e.range, e.differs_too});
  return effects;
}

}  // namespace edgenpu::sweep
