// Questions to the results of a study. Conditions are expressions over the columns (expressions.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/table.h"

namespace edgenpu::sweep {

// Index of a column; throws InputError at `where`, with the nearest name.
std::size_t column_index(const result::Table& table, const std::string& name, const Position& where);

// The rows for which `condition` holds, in their order. "" keeps all. `silent` counts rows for which it is neither true
// nor false.
result::Table filtered(const result::Table& table, const std::string& condition,
                       std::int64_t* silent = nullptr);

std::optional<double> number_of(const result::Cell& cell);

// Of a table of Store::points.
bool is_ok(const result::Table& table, const std::vector<result::Cell>& row);

// Sorted by a column, rows without a value last; equal rows keep their order.
result::Table sorted(const result::Table& table, const std::string& column, bool descending);

result::Table selected(const result::Table& table, const std::vector<std::string>& columns);

struct Objective {
  std::string column;
  bool maximise = false;
};

// Columns that say what was asked of a point, among `inputs`: phase, model, context and prompt, and for objectives
// of energy the scope of the power. Points that differ in them are not better or worse than each other. Only columns
// with several values among the rows that compete for `objectives`.
std::vector<std::string> questions(const result::Table& table, const std::vector<std::string>& inputs,
                                   const std::vector<Objective>& objectives);

// The rows that no other row beats: as good in every objective and better in one. Rows that are not "ok" or
// lack an objective do not compete, and rows compete with those only that are equal in the columns `apart`, which
// come next to each other. First column `front`: "front"; or "tie" for each of several rows that are equal in all
// objectives; then, in their own order, the rows that did not compete, with their status. Sorted by the first
// objective.
result::Table pareto(const result::Table& table, const std::vector<Objective>& objectives,
                     const std::vector<std::string>& apart = {});

// The rows with the best value, of each group of equal `apart`; several if they tie.
result::Table best(const result::Table& table, const Objective& objective,
                   const std::vector<std::string>& apart = {});

// Why no row competes: "of 24 points 20 have no ttft_ms, 4 are infeasible".
std::string why_none(const result::Table& table, const std::vector<Objective>& objectives);

struct Effects {
  result::Table table;
  std::vector<std::string> notes;
};

// What each input does on its own: for each of its levels the mean, lowest and highest `metric` of the rows
// that have it. Like is compared with like: only rows whose companions, equal in the inputs of other groups (see
// Expansion::groups), have a result at every level. Where there are none, all rows count. `differs_too` names what
// else differs between the levels then: the other inputs, or those that advance with this one. Inputs with more than
// eight numeric levels are cut into quarters of equal counts. `range` is the distance between the largest and the
// smallest mean, over the mean of all; inputs stand in its order. InputError if the rows are of several phases, or
// have power of several scopes where the metric is one of energy.
Effects main_effects(const result::Table& table, const std::vector<std::string>& inputs,
                     const std::vector<int>& groups, const std::string& metric);

// What the reader of the results should know of these rows: how many have which note, the most frequent first, at most
// `limit` of them; and how many come from results that kept none.
std::vector<std::string> row_notes(const result::Table& table, std::size_t limit = 6);

// What the results of a study say about it: constraints that were neither true nor false, axes that changed nothing in
// any result.
std::vector<std::string> study_notes(const result::Table& table, const std::vector<std::string>& inputs,
                                     const std::vector<int>& groups);

}  // namespace edgenpu::sweep
