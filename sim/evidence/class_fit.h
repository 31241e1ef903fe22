// The fit of one class of a calibration: factors from a surrogate, errors from simulation.
//
// Law. Log time of a row is taken as a sum of piecewise linear functions of the factors (fit.h). What several
// factors do together is not in that sum: the class is simulated at the first fit, what that differs from the
// sum is added to it as a constant of each row, and the fit is made again. Of both fits the one with the
// smaller simulated error counts. Every row is then simulated at what was found without its platform, and
// without its model; those fits use the same constants, simulated times at the fit of all rows, so a row that
// is left out enters by where that fit lay and by nothing else. Three rounds of steps: plan_first(),
// plan_rest() and finish(), each after the runner has run.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evidence/calibration_spec.h"
#include "evidence/fit.h"
#include "evidence/measurements.h"
#include "evidence/validate.h"
#include "result/calibration.h"

namespace edgenpu::evidence {

// A decode measurement with the steps that its class needs.
struct Candidate {
  const Measurement* row = nullptr;
  Mapped mapped;
  std::string base;                            // key of the step as described
  std::vector<std::vector<std::string>> keys;  // [parameter][factor]
  const ClassSpec* spec = nullptr;
  FitRow fit;
};

class ClassFit {
 public:
  // `members`: those whose responses are known.
  ClassFit(const ClassSpec& spec, std::vector<Candidate*> members, PointRunner& runner);

  void plan_first();
  void plan_rest();
  // The class, and its rows behind `rows`.
  result::CalibratedClass finish(std::vector<result::CalibratedRow>& rows) const;

 private:
  using Factors = std::vector<double>;  // logs
  Factors without(const std::function<bool(const Candidate&)>& left_out) const;
  const std::string& platform(const Candidate& c) const { return runner_.result(c.base).platform; }
  // Key of the row's step at these factors.
  std::string step(const Candidate& c, const Factors& factors);
  // log(simulated / measured); a step that failed: by the surrogate.
  double log_error(const Candidate& c, const std::string& key, const Factors& factors) const;
  // Of all members, each at its step.
  double mean_error(const std::vector<std::string>& steps, const Factors& factors) const;

  const ClassSpec& spec_;
  std::vector<Candidate*> members_;
  PointRunner& runner_;
  Factors first_, second_;
  std::map<std::string, Factors> by_platform_, by_model_;
  std::vector<std::string> at_first_, at_second_, without_platform_, without_model_;  // [member]
};

// exp(log error) - 1: a fraction, positive where the simulation is faster.
double error_of(double log_error);

}  // namespace edgenpu::evidence
