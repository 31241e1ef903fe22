// Fits few physical parameters, pooled by class, to published decode rates.
//
// Method. Each row of a class is simulated as described, and once for each other value of each parameter's
// factor; between these, and for several parameters together, log time is taken as the sum of piecewise
// linear functions of log factor, mended by a simulation at the first fit (class_fit.h). NLopt (DIRECT, then
// Subplex) finds the factors within their bounds that minimise the mean |log(simulated / measured)| of the
// class: an outlier weighs no more than its distance. A class with fewer than five rows is not fitted;
// otherwise at most one parameter per five rows, in the order of the file. All errors are those of
// simulations, none of the sum.
//
// Held out: every row is predicted again by a fit without its platform, and by a fit without its model; rows
// outside all classes are as described. Errors are summed up over all rows, and again without implausibly
// slow ones (result/calibration.h). The same rule on the number of parameters holds within each fit.
#pragma once

#include <functional>
#include <string>

#include "evidence/measurements.h"
#include "result/calibration.h"

namespace edgenpu::evidence {

struct CalibrateRequest {
  std::string mapping, specification, data_dir, cache;
  std::string
      shares;  // published shares of bandwidth by class (evidence/published.h); "": no row is called slow
  std::string platform;  // only classes whose platform expression matches this name; "": all
  int jobs = 0;
  std::function<void(std::size_t, std::size_t)> progress;
};

result::Calibration calibrate(const Measurements& measurements, const CalibrateRequest& request);

// YAML that read_calibrated() reads, with provenance.
std::string to_yaml(const result::Calibration& calibration);

}  // namespace edgenpu::evidence
