// The error that each product makes by itself: an arithmetic that computes every product twice on the same
// inputs, once as the one under study and once as the reference, goes on with the first and keeps the
// difference by name.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "numerics/arithmetic.h"

namespace edgenpu::numerics {

struct OperatorError {
  std::int64_t values = 0;
  double squared_error = 0, squared_reference = 0, largest = 0;

  double relative_rms() const;
};

class OperatorErrors : public Arithmetic {
 public:
  // Both must outlive this.
  OperatorErrors(const Arithmetic& studied, const Arithmetic& reference)
      : studied_(studied), reference_(reference) {}

  Rows multiply(const Matrix& weights, const Rows& x) const override;
  Rows scores(const StoredHead& keys, const Rows& queries) const override;
  Rows mix(const StoredHead& values, const Rows& weights) const override;
  void softmax(float* x, const Span& span, float scale) const override { studied_.softmax(x, span, scale); }
  float silu(float x) const override { return studied_.silu(x); }
  float gelu(float x) const override { return studied_.gelu(x); }

  // By tensor name; attention's products of all layers as "scores" and "mix".
  const std::map<std::string, OperatorError>& errors() const { return errors_; }

 private:
  Rows keep(const std::string& name, Rows found, const Rows& reference) const;

  const Arithmetic& studied_;
  const Arithmetic& reference_;
  mutable std::mutex mutex_;  // heads run on several cores
  mutable std::map<std::string, OperatorError> errors_;
};

}  // namespace edgenpu::numerics
