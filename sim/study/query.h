// Questions to the results of a study. Conditions are expressions over the columns (expressions.h).
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "result/table.h"

namespace edgenpu::study {

// Index of a column; throws InputError at `where`, with the nearest name.
std::size_t column_index(const result::Table& table, const std::string& name, const Position& where);

// The rows for which `condition` holds, in their order. "" keeps all.
result::Table filtered(const result::Table& table, const std::string& condition);

// Sorted by a column, rows without a value last; equal rows keep their order.
result::Table sorted(const result::Table& table, const std::string& column, bool descending);

result::Table selected(const result::Table& table, const std::vector<std::string>& columns);

struct Objective {
  std::string column;
  bool maximise = false;
};

// The rows that no other row beats: as good in every objective and better in one. Rows that are not "ok" or
// lack an objective do not compete. First column `front`: "front"; or "tie" for each of several rows that are
// equal in all objectives; then, in their own order, the rows that did not compete, with their status. Sorted
// by the first objective.
result::Table pareto(const result::Table& table, const std::vector<Objective>& objectives);

// What each input does on its own: for each of its levels the mean, lowest and highest `metric` of the rows
// that have it. Inputs with more than eight numeric levels are cut into quarters of equal counts. `range` is
// the distance between the largest and the smallest mean, over the mean of all; inputs stand in its order.
result::Table main_effects(const result::Table& table, const std::vector<std::string>& inputs,
                           const std::string& metric);

// The rows with the best value; several if they tie.
result::Table best(const result::Table& table, const Objective& objective);

}  // namespace edgenpu::study
