#include <algorithm>

#include "base/error.h"
#include "numerics/arithmetic.h"
#include "numerics/dot.h"
#include "numerics/functions.h"
#include "numerics/half.h"
#include "numerics/parallel.h"

namespace edgenpu::numerics {
namespace {

// The activation in the partner format of F32, F16 or BF16 weights.
void round_to(Format weights, Rows& x) {
  for (float* v = x.data(); v != x.data() + x.size(); ++v) {
    if (weights == Format::F16) *v = round_to_half(*v);
    if (weights == Format::BF16) *v = bf16_to_float(float_to_bf16(*v));
  }
}

std::vector<Activations> round_rows(Format weights, const Rows& x) {
  std::vector<Activations> rows;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    rows.push_back(round_activations(rounding_for(weights), x.row(i).data(), x.cols()));
  return rows;
}

class GgmlArithmetic : public Arithmetic {
 public:
  Rows multiply(const Matrix& w, const Rows& x) const override {
    Rows out(x.rows(), w.rows);
    if (has_integer_form(w.format)) {
      multiply_integers(w, x, out);
    } else {
      multiply_floats(w, x, out);
    }
    return out;
  }

  Rows scores(const StoredHead& keys, const Rows& queries) const override {
    Rows out(queries.rows(), keys.count);
    if (has_integer_form(keys.format)) {
      const std::vector<Activations> rounded = round_rows(keys.format, queries);
      UnpackedRow key;
      for (std::int64_t k = 0; k < keys.count; ++k) {
        unpack_row(keys.format, keys.row(k), keys.head_dim, key);
        for (Eigen::Index i = 0; i < out.rows(); ++i)
          out(i, k) = dot(key, rounded[static_cast<std::size_t>(i)]);
      }
      return out;
    }
    Rows rounded = queries;
    round_to(keys.format, rounded);
    Rows key(1, keys.head_dim);
    for (std::int64_t k = 0; k < keys.count; ++k) {
      keys.decode_row(k, key.data());
      for (Eigen::Index i = 0; i < out.rows(); ++i)
        out(i, k) = dot_floats(key.data(), rounded.row(i).data(), keys.head_dim);
    }
    return out;
  }

  // Values of 16 or 32 bits lie transposed and each element is one product of a row with the weights. Values
  // of a block format go through the fused attention instead: decoded, added up in float32, the weights not
  // rounded.
  Rows mix(const StoredHead& values, const Rows& weights) const override {
    if (has_integer_form(values.format)) {
      Rows out = Rows::Zero(weights.rows(), values.head_dim);
      Rows value(1, values.head_dim);
      for (std::int64_t k = 0; k < values.count; ++k) {
        values.decode_row(k, value.data());
        for (Eigen::Index i = 0; i < out.rows(); ++i)
          for (Eigen::Index d = 0; d < out.cols(); ++d) out(i, d) += value(0, d) * weights(i, k);
      }
      return out;
    }
    Rows rounded = weights;
    round_to(values.format, rounded);
    const Rows columns = values.decode_all().transpose();
    Rows out(weights.rows(), values.head_dim);
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      for (Eigen::Index d = 0; d < out.cols(); ++d)
        out(i, d) = dot_floats(columns.row(d).data(), rounded.row(i).data(), values.count);
    return out;
  }

  void softmax(float* x, const Span& span, float scale) const override {
    softmax_by_polynomial(x, span, scale);
  }
  float silu(float x) const override { return silu_by_polynomial(x); }
  float gelu(float x) const override { return gelu_by_half(x); }

 private:
  static void multiply_integers(const Matrix& w, const Rows& x, Rows& out) {
    const std::vector<Activations> rounded = round_rows(w.format, x);
    parallel(w.rows, w.rows * w.columns * (x.rows() + 4), [&](std::int64_t begin, std::int64_t end) {
      UnpackedRow row;
      for (std::int64_t r = begin; r < end; ++r) {
        unpack_row(w.format, w.row(r), w.columns, row);
        for (Eigen::Index i = 0; i < out.rows(); ++i)
          out(i, r) = dot(row, rounded[static_cast<std::size_t>(i)]);
      }
    });
  }

  static void multiply_floats(const Matrix& w, const Rows& x, Rows& out) {
    Rows rounded = x;
    round_to(w.format, rounded);
    const std::int64_t fours = (w.rows + 3) / 4;
    parallel(fours, w.rows * w.columns * x.rows() * 2, [&](std::int64_t begin, std::int64_t end) {
      Rows tile = Rows::Zero(4, w.columns);
      for (std::int64_t four = begin; four < end; ++four) {
        const std::int64_t first = four * 4, count = std::min<std::int64_t>(4, w.rows - first);
        decode(w.format, w.row(first), count * w.columns, tile.data());
        for (Eigen::Index i = 0; i < out.rows(); ++i) {
          float sums[4];
          dot_floats_of_four(tile.data(), rounded.row(i).data(), w.columns, sums);
          std::copy(sums, sums + count, out.row(i).data() + first);
        }
      }
    });
  }
};

}  // namespace

std::unique_ptr<Arithmetic> make_ggml_arithmetic() {
  return std::make_unique<GgmlArithmetic>();
}

}  // namespace edgenpu::numerics
