// From a study to its points, all of which are checked before anything runs.
//
// Errors (InputError, at the axis or expression to blame): a path that the resolved hardware does not have, a
// value that it does not accept, an axis that changes nothing in any point, two points that resolve to the
// same configuration and workload (units do not matter: 1 GHz is 1000 MHz), one thing set in two places, a
// prompt where no point has one, expressions that SQLite does not understand or that say nothing about any point,
// no points at all. A point that breaks a constraint on its inputs is kept: it is a row without a run.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "result/table.h"
#include "sweep/constraints.h"
#include "sweep/resolver.h"
#include "sweep/study_file.h"

namespace edgenpu::sweep {

struct Point {
  std::int64_t number = 0;  // from 1, without the excluded ones
  std::int64_t row = 0;     // of the product of all groups
  std::vector<config::Value> derived;
  std::vector<result::Cell> inputs;       // in the order of Expansion::columns()
  std::vector<result::Cell> constrained;  // in the order of Expansion::constrained_columns()
  std::string id;                         // hash of resolved hardware, trace and tool version
  std::string broken;                     // the constraint on inputs that it breaks; "" if none
};

class Expansion {
 public:
  // `tool` names version and commit: results of another tool are other results.
  Expansion(const Study& study, const std::string& data_dir, const std::string& tool);
  Expansion(const Expansion&) = delete;
  Expansion& operator=(const Expansion&) = delete;

  const Study& study() const { return study_; }
  // Axes and derived values, as columns.
  const std::vector<std::string>& columns() const { return columns_; }
  // For each column: which group of the study it advances with; -1 for derived values.
  std::vector<int> groups() const;
  // What constraints read beside columns() and results.
  const std::vector<std::string>& constrained_columns() const { return constrained_; }
  Constraints constraints() const { return Constraints(study_.constraints, all_columns()); }
  const std::vector<Point>& points() const { return points_; }
  std::int64_t excluded() const { return excluded_; }
  // What is allowed and does nothing, or hides something: "file:line:column: ...".
  const std::vector<std::string>& notes() const { return notes_; }
  // Names the list of points, their inputs and constraints.
  std::string hash() const;

  Resolved resolve(const Point& point) const;

 private:
  struct Conditions;
  std::int64_t product() const;
  std::vector<std::string> all_columns() const;
  void make_columns();
  void make_points(Conditions& conditions);
  void add_point(std::int64_t row, Conditions& conditions);
  void add_inputs(Point& point, const Assignments& all);
  void show(const Point& point, const Resolved& resolved, Conditions& conditions) const;
  // expand_checks.cpp
  void check_paths() const;
  void check_pairs(const Assignments& all, workload::Phase phase) const;
  void check_phases() const;
  void check_conditions(const Conditions& conditions);
  bool changes(const Point& point, const std::string& axis, Expressions& formulas) const;
  void check_effects(Expressions& formulas) const;
  void check_distinct() const;

  Study study_;
  Resolver resolver_;
  std::vector<std::string> columns_;
  std::vector<Point> points_;
  std::vector<std::string> constrained_, notes_;
  std::int64_t excluded_ = 0;
  std::set<workload::Phase> phases_;  // of the points
};

}  // namespace edgenpu::sweep
