// What the constraints of a study say about a point, from columns alone: a verdict is never part of a result, so
// that it can be given again whenever the study changes.
//
// A point breaks a constraint that is false. A constraint that is neither true nor false, because a column has no
// value, breaks nothing; it is named instead. Errors: InputError at the constraint.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sweep/expressions.h"
#include "sweep/study_file.h"

namespace edgenpu::sweep {

struct Verdict {
  std::string broken;               // the first constraint that is broken; "" if none
  std::vector<std::string> silent;  // "ttft_ms < 10 (no ttft_ms)": neither true nor false

  std::string message() const;
};

class Constraints {
 public:
  // `columns`: what there is beside output_columns().
  Constraints(const std::vector<Formula>& formulas, const std::vector<std::string>& columns);

  bool empty() const { return texts_.empty(); }
  const std::vector<std::string>& texts() const { return texts_; }
  // The columns that are read, outputs left out.
  const std::set<std::string>& inputs() const { return inputs_; }

  void clear() { expressions_.clear(); }
  // Columns that no constraint reads are ignored.
  void set(const std::string& column, const result::Cell& value);
  result::Cell value(const std::string& column) const { return expressions_.value(column); }
  // Of the constraints that read no result: they decide whether a point is run.
  Verdict before_run() { return verdict(false); }
  // Of all.
  Verdict after_run();

 private:
  Verdict verdict(bool late);

  Expressions expressions_;
  std::vector<std::string> texts_;
  std::vector<bool> late_;  // reads a result
  std::set<std::string> inputs_, read_;
};

}  // namespace edgenpu::sweep
