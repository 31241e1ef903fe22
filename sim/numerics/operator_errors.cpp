#include "numerics/operator_errors.h"

#include <algorithm>
#include <cmath>

namespace edgenpu::numerics {

double OperatorError::relative_rms() const {
  return squared_error > 0 ? std::sqrt(squared_error / squared_reference) : 0.0;
}

Rows OperatorErrors::keep(const std::string& name, Rows found, const Rows& reference) const {
  const Eigen::MatrixXd difference = (found - reference).cast<double>();
  const std::lock_guard<std::mutex> lock(mutex_);
  OperatorError& e = errors_[name];
  e.values += found.size();
  e.squared_error += difference.squaredNorm();
  e.squared_reference += reference.cast<double>().squaredNorm();
  e.largest = std::max(e.largest, difference.cwiseAbs().maxCoeff());
  return found;
}

Rows OperatorErrors::multiply(const Matrix& weights, const Rows& x) const {
  return keep(weights.name, studied_.multiply(weights, x), reference_.multiply(weights, x));
}

Rows OperatorErrors::scores(const StoredHead& keys, const Rows& queries) const {
  return keep("scores", studied_.scores(keys, queries), reference_.scores(keys, queries));
}

Rows OperatorErrors::mix(const StoredHead& values, const Rows& weights) const {
  return keep("mix", studied_.mix(values, weights), reference_.mix(values, weights));
}

}  // namespace edgenpu::numerics
