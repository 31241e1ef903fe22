// Pareto front, best row, main effects.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "study/query.h"

namespace edgenpu::study {

using result::Cell;
using result::Table;

namespace {

std::optional<double> number(const Cell& c) {
  if (const auto* whole = std::get_if<std::int64_t>(&c)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&c)) return *real;
  return std::nullopt;
}

bool is_ok(const Table& table, const std::vector<Cell>& row) {
  return row[column_index(table, "status", {"results", 0, 0})] == Cell(std::string("ok"));
}

// The objectives of a row, smaller is better; nullopt if it does not compete.
using Scores = std::optional<std::vector<double>>;

std::vector<Scores> scores_of(const Table& table, const std::vector<Objective>& objectives) {
  std::vector<std::size_t> at;
  for (const Objective& o : objectives)
    at.push_back(column_index(table, o.column, {o.maximise ? "--maximise" : "--minimise", 0, 0}));
  std::vector<Scores> all;
  for (const auto& row : table.rows) {
    Scores scores{std::vector<double>()};
    for (std::size_t i = 0; i < at.size() && scores; ++i) {
      const auto value = number(row[at[i]]);
      if (value && is_ok(table, row)) {
        scores->push_back(objectives[i].maximise ? -*value : *value);
      } else {
        scores.reset();
      }
    }
    all.push_back(std::move(scores));
  }
  return all;
}

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

// Rows of the front, in the order of their scores: in that order, only an earlier row can beat a later one.
std::vector<std::size_t> front_of(const std::vector<Scores>& scores) {
  std::vector<std::size_t> order, front;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *scores[a] < *scores[b]; });
  for (const std::size_t i : order)
    if (std::none_of(front.begin(), front.end(),
                     [&](std::size_t f) { return beats(*scores[f], *scores[i]); }))
      front.push_back(i);
  return front;
}

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
    const auto x = number(a.input), y = number(b.input);
    return x && y ? *x < *y : result::to_text(a.input) < result::to_text(b.input);
  });
  std::vector<Level> levels;
  for (const Sample& s : samples) {
    if (levels.empty() || !(levels.back().first == s.input))
      levels.push_back({result::to_text(s.input), s.input});
    levels.back().add(s.metric);
  }
  const bool numeric = std::all_of(samples.begin(), samples.end(),
                                   [](const Sample& s) { return number(s.input).has_value(); });
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

}  // namespace

Table pareto(const Table& table, const std::vector<Objective>& objectives) {
  const std::vector<Scores> scores = scores_of(table, objectives);
  const std::vector<std::size_t> front = front_of(scores);
  Table t;
  t.columns = table.columns;
  t.columns.insert(t.columns.begin(), "front");
  const auto add = [&](std::size_t row, const std::string& what) {
    t.rows.push_back(table.rows[row]);
    t.rows.back().insert(t.rows.back().begin(), what);
  };
  for (const std::size_t i : front) {
    const auto equals =
        std::count_if(front.begin(), front.end(), [&](std::size_t o) { return *scores[o] == *scores[i]; });
    add(i, equals > 1 ? "tie" : "front");
  }
  const std::size_t status = column_index(table, "status", {"results", 0, 0});
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (!scores[i]) add(i, is_ok(table, table.rows[i]) ? "no value" : result::to_text(table.rows[i][status]));
  return t;
}

Table best(const Table& table, const Objective& objective) {
  const std::vector<Scores> scores = scores_of(table, {objective});
  Table t{table.columns, {}};
  for (const std::size_t i : front_of(scores)) t.rows.push_back(table.rows[i]);
  return t;
}

Table main_effects(const Table& table, const std::vector<std::string>& inputs, const std::string& metric) {
  const std::size_t m = column_index(table, metric, {"--metric", 0, 0});
  struct Effect {
    std::string input;
    std::vector<Level> levels;
    double range = 0;
  };
  std::vector<Effect> effects;
  for (const std::string& input : inputs) {
    const std::size_t c = column_index(table, input, {"--inputs", 0, 0});
    std::vector<Sample> samples;
    double sum = 0;
    for (const auto& row : table.rows) {
      const auto value = number(row[m]);
      if (!value || !is_ok(table, row)) continue;
      samples.push_back({row[c], *value});
      sum += *value;
    }
    if (samples.empty()) continue;
    Effect e{input, levels_of(samples), 0};
    const auto [low, high] = std::minmax_element(
        e.levels.begin(), e.levels.end(), [](const Level& a, const Level& b) { return a.mean() < b.mean(); });
    e.range = (high->mean() - low->mean()) / std::abs(sum / static_cast<double>(samples.size()));
    effects.push_back(std::move(e));
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const Effect& a, const Effect& b) { return a.range > b.range; });
  Table t{{"input", "level", "points", "mean_" + metric, "lowest_" + metric, "highest_" + metric, "range"},
          {}};
  for (const Effect& e : effects)
    for (const Level& l : e.levels)
      t.rows.push_back({e.input, l.label, l.n, l.mean(), l.low, l.high, e.range});
  return t;
}

}  // namespace edgenpu::study
