// From a study to its points, all of which are checked before anything runs.
//
// Errors (InputError, at the axis or expression to blame): a path that the resolved hardware does not have, a
// value that it does not accept, an axis that changes nothing in any point, two points that resolve to the
// same configuration and workload (units do not matter: 1 GHz is 1000 MHz), expressions that SQLite does not
// understand, no points at all. A point that breaks a constraint on its inputs is kept: it is a row without a
// run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "result/table.h"
#include "study/resolver.h"
#include "study/study_file.h"

namespace edgenpu::study {

struct Point {
  std::int64_t number = 0;  // from 1, without the excluded ones
  std::int64_t row = 0;     // of the product of all groups
  std::vector<config::Value> derived;
  std::vector<result::Cell> inputs;  // in the order of Expansion::columns()
  std::string id;                    // hash of resolved hardware, trace and tool version
  std::string broken;                // the constraint on inputs that it breaks; "" if none
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
  const std::vector<Point>& points() const { return points_; }
  std::int64_t excluded() const { return excluded_; }
  // Names the list of points.
  std::string hash() const;

  Resolved resolve(const Point& point) const;
  // The first constraint that a finished point breaks; "" if none.
  std::string broken_by(const Resolved& resolved, const std::vector<result::Cell>& outputs) const;

 private:
  struct Conditions;
  std::int64_t product() const;
  std::vector<std::string> all_columns() const;
  void make_columns();
  void prepare(Conditions& conditions);
  void make_points(Conditions& conditions);
  void add_point(std::int64_t row, Conditions& conditions);
  // expand_checks.cpp
  void check_paths() const;
  bool changes(const Point& point, const std::string& axis, Expressions& formulas) const;
  void check_effects(Expressions& formulas) const;
  void check_distinct() const;

  Study study_;
  Resolver resolver_;
  std::vector<std::string> columns_;
  std::vector<Point> points_;
  std::vector<Formula> late_;  // constraints that need a result
  std::int64_t excluded_ = 0;
};

}  // namespace edgenpu::study
