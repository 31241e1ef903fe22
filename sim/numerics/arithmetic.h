// How a machine multiplies. The transformer is written once against this interface; each arithmetic decides
// what is rounded, to which format, in which order sums are taken, and how the functions between products are
// evaluated.
//
//   float  weights decoded to float32, nothing else rounded; products by Eigen
//   ggml   as llama.cpp's scalar CPU build: the activation row is rounded to the partner format of the
//          weights before each product (Q8_K, Q8_0, Q8_1, F16, BF16), Q and the softmax's output to F16; sums
//          in its order
//   npu    an engine described by NpuArithmetic (npu_arithmetic.h)
#pragma once

#include <memory>

#include "numerics/functions.h"
#include "numerics/kv_cache.h"
#include "numerics/rows.h"
#include "numerics/weights.h"

namespace edgenpu::numerics {

class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  // x W^T: [m][columns] times [rows][columns] gives [m][rows].
  virtual Rows multiply(const Matrix& weights, const Rows& x) const = 0;
  // Products of queries with all stored keys: [m][head_dim] gives [m][count].
  virtual Rows scores(const StoredHead& keys, const Rows& queries) const = 0;
  // Sums of stored values by weight: [m][count] gives [m][head_dim].
  virtual Rows mix(const StoredHead& values, const Rows& weights) const = 0;

  virtual void softmax(float* x, const Span& span, float scale) const;
  virtual float silu(float x) const;
  virtual float gelu(float x) const;
};

std::unique_ptr<Arithmetic> make_float_arithmetic();
std::unique_ptr<Arithmetic> make_ggml_arithmetic();

}  // namespace edgenpu::numerics
