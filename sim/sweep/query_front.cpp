// Pareto front, best row.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "sweep/query.h"

namespace edgenpu::sweep {

using result::Cell;
using result::Table;

namespace {

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
      const auto value = number_of(row[at[i]]);
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
std::vector<std::size_t> front_of(const std::vector<Scores>& scores, std::vector<std::size_t> order) {
  std::vector<std::size_t> front;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *scores[a] < *scores[b]; });
  for (const std::size_t i : order)
    if (std::none_of(front.begin(), front.end(),
                     [&](std::size_t f) { return beats(*scores[f], *scores[i]); }))
      front.push_back(i);
  return front;
}

// Fronts of the rows that are equal in `apart`, in the order of their first rows.
std::vector<std::vector<std::size_t>> fronts_of(const Table& table, const std::vector<Scores>& scores,
                                                const std::vector<std::string>& apart) {
  std::vector<std::size_t> at;
  for (const std::string& c : apart) at.push_back(column_index(table, c, {"results", 0, 0}));
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::vector<std::string>, std::size_t> known;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i]) continue;
    std::vector<std::string> key;
    for (const std::size_t c : at) key.push_back(result::to_text(table.rows[i][c]));
    const auto [group, fresh] = known.emplace(std::move(key), groups.size());
    if (fresh) groups.emplace_back();
    groups[group->second].push_back(i);
  }
  for (auto& group : groups) group = front_of(scores, std::move(group));
  return groups;
}

bool is_energy(const std::string& column) {
  for (const char* c : {"energy_J_per_token", "tokens_per_J", "power_W", "edp_J_s"})
    if (column == c) return true;
  return false;
}

std::int64_t values_of(const Table& table, const std::string& column, const std::vector<Scores>& scores) {
  const std::size_t c = column_index(table, column, {"results", 0, 0});
  std::set<std::string> values;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i]) values.insert(result::to_text(table.rows[i][c]));
  return static_cast<std::int64_t>(values.size());
}

}  // namespace

std::vector<std::string> questions(const Table& table, const std::vector<std::string>& inputs,
                                   const std::vector<Objective>& objectives) {
  std::vector<std::string> asked;
  for (const char* c : {"phase", "model", "context", "prompt"})
    if (std::count(inputs.begin(), inputs.end(), c)) asked.emplace_back(c);
  if (std::any_of(objectives.begin(), objectives.end(), [](const auto& o) { return is_energy(o.column); }))
    asked.emplace_back("power_scope");
  const std::vector<Scores> scores = scores_of(table, objectives);
  asked.erase(std::remove_if(asked.begin(), asked.end(),
                             [&](const std::string& c) { return values_of(table, c, scores) < 2; }),
              asked.end());
  return asked;
}

Table pareto(const Table& table, const std::vector<Objective>& objectives,
             const std::vector<std::string>& apart) {
  const std::vector<Scores> scores = scores_of(table, objectives);
  Table t;
  t.columns = table.columns;
  t.columns.insert(t.columns.begin(), "front");
  const auto add = [&](std::size_t row, const std::string& what) {
    t.rows.push_back(table.rows[row]);
    t.rows.back().insert(t.rows.back().begin(), what);
  };
  for (const auto& front : fronts_of(table, scores, apart)) {
    for (const std::size_t i : front) {
      const auto equals =
          std::count_if(front.begin(), front.end(), [&](std::size_t o) { return *scores[o] == *scores[i]; });
      add(i, equals > 1 ? "tie" : "front");
    }
  }
  const std::size_t status = column_index(table, "status", {"results", 0, 0});
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (!scores[i]) add(i, is_ok(table, table.rows[i]) ? "no value" : result::to_text(table.rows[i][status]));
  return t;
}

Table best(const Table& table, const Objective& objective, const std::vector<std::string>& apart) {
  const std::vector<Scores> scores = scores_of(table, {objective});
  Table t{table.columns, {}};
  for (const auto& front : fronts_of(table, scores, apart))
    for (const std::size_t i : front) t.rows.push_back(table.rows[i]);
  return t;
}

std::string why_none(const Table& table, const std::vector<Objective>& objectives) {
  std::map<std::string, std::int64_t> reasons;
  const std::size_t status = column_index(table, "status", {"results", 0, 0});
  for (const auto& row : table.rows) {
    if (!is_ok(table, row)) {
      ++reasons["are " + result::to_text(row[status])];
      continue;
    }
    for (const Objective& o : objectives)
      if (!number_of(row[column_index(table, o.column, {"results", 0, 0})])) ++reasons["have no " + o.column];
  }
  std::string text;
  for (const auto& [reason, rows] : reasons)
    text += fmt::format("{}{} {}", text.empty() ? " " : ", ", rows, reason);
  return fmt::format("of {} points{}", table.rows.size(), text.empty() ? " none meets the condition" : text);
}

}  // namespace edgenpu::sweep
