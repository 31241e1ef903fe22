// What the results of a study say about the study itself.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/suggest.h"
#include "sweep/metrics.h"
#include "sweep/query.h"
#include "sweep/row.h"

namespace edgenpu::sweep {

using result::Table;

namespace {

std::vector<std::size_t> indices(const Table& table, const std::vector<std::string>& columns) {
  std::vector<std::size_t> at;
  for (const std::string& c : columns) at.push_back(column_index(table, c, {}));
  return at;
}

std::string text_of(const std::vector<result::Cell>& row, const std::vector<std::size_t>& columns) {
  std::string text;
  for (const std::size_t c : columns) text += result::to_text(row[c]) + "\n";
  return text;
}

// Whether there are points that are equal in `companions`, and all of those have the same results.
bool change_nothing(const Table& table, const std::vector<std::string>& companions) {
  std::vector<std::string> results = output_columns();
  for (const std::string& c : table.columns)
    if (c.rfind("energy_", 0) == 0) results.push_back(c);
  const std::vector<std::size_t> outcome = indices(table, results), equal = indices(table, companions);
  std::map<std::string, std::pair<std::string, int>> seen;  // by companions: results and points
  bool compared = false;
  for (const auto& row : table.rows) {
    if (!number_of(row[outcome[0]])) continue;
    auto& [result, points] = seen[text_of(row, equal)];
    const std::string own = text_of(row, outcome);
    if (points > 0 && result != own) return false;
    result = own;
    compared = compared || ++points > 1;
  }
  return compared;
}

std::vector<std::string> notes_in(const std::string& text) {
  const std::string mark = kNoteBreak;
  std::vector<std::string> notes;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(mark, start), text.size());
    notes.push_back(text.substr(start, end - start));
    start = end + mark.size();
  }
  return notes;
}

}  // namespace

std::vector<std::string> row_notes(const Table& table, std::size_t limit) {
  const std::size_t column = column_index(table, "notes", {});
  const std::size_t scope = column_index(table, "power_scope", {});  // every simulated row has one
  std::map<std::string, std::int64_t> points;
  std::int64_t unknown = 0;
  for (const auto& row : table.rows) {
    const std::string text = result::to_text(row[column]);
    for (const std::string& note : notes_in(text)) ++points[note];
    const bool none_kept = std::holds_alternative<std::monostate>(row[column]);
    unknown += none_kept && !result::to_text(row[scope]).empty();
  }
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const auto& [note, n] : points) found.emplace_back(-n, note);
  std::sort(found.begin(), found.end());
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(limit, found.size()); ++i)
    lines.push_back(fmt::format("{} of {} points: {}", -found[i].first, table.rows.size(), found[i].second));
  if (found.size() > limit)
    lines.push_back(fmt::format("{} more notes; the column notes has them all", found.size() - limit));
  if (unknown > 0)
    lines.push_back(
        fmt::format("of {} of {} points no notes are known: an older version of the tool ran them", unknown,
                    table.rows.size()));
  return lines;
}

std::vector<std::string> study_notes(const Table& table, const std::vector<std::string>& inputs,
                                     const std::vector<int>& groups) {
  std::vector<std::string> notes;
  std::map<std::string, std::int64_t> silent;
  for (const auto& row : table.rows) {
    const std::string message = result::to_text(row[column_index(table, "message", {})]);
    if (is_ok(table, row) && !message.empty()) ++silent[message];
  }
  for (const auto& [message, points] : silent)
    notes.push_back(fmt::format("a constraint says nothing about {} of {} points: {}", points,
                                table.rows.size(), message));
  const std::set<int> all(groups.begin(), groups.end());
  for (const int group : all) {
    std::vector<std::string> axes, companions;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (groups[i] == group) axes.push_back(inputs[i]);
      if (groups[i] >= 0 && groups[i] != group) companions.push_back(inputs[i]);
    }
    if (group >= 0 && change_nothing(table, companions))
      notes.push_back(
          fmt::format("the axis {} changed nothing: points that differ in it alone have the same results to "
                      "the last digit",
                      join(axes)));
  }
  return notes;
}

}  // namespace edgenpu::sweep
