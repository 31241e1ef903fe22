#include "numerics/npu_arithmetic.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "numerics/function_table.h"
#include "numerics/npu_product.h"
#include "numerics/operand_choice.h"
#include "numerics/parallel.h"

namespace edgenpu::numerics {
namespace {

void check(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    throw InputError(Position{"npu arithmetic"},
                     fmt::format("{}: {}; {} to {} are allowed", name, value, low, high));
}

void check(const NpuArithmetic& e) {
  check("activation_bits", e.activation_bits, 2, 8);
  check("accumulator_bits", e.accumulator_bits, 8, 32);
  check("dropped_bits", e.dropped_bits, 0, 15);
  check("tile_k", e.tile_k, 0, std::int64_t{1} << 24);
  if (e.tile_k % 256 != 0)
    throw InputError(Position{"npu arithmetic"},
                     fmt::format("tile_k: {}; multiples of 256 are allowed", e.tile_k));
  if (e.function_entries != 0) check("function_entries", e.function_entries, 8, 65536);
}

void round_all(Rows& x, float (*round)(float)) {
  for (float* v = x.data(); v != x.data() + x.size(); ++v) *v = round(*v);
}

float exponential(float x) {
  return std::exp(x);
}

class Npu : public Arithmetic {
 public:
  explicit Npu(const NpuArithmetic& engine) : engine_(engine) {
    check(engine);
    if (engine.function_entries == 0) return;
    // Beyond these ends exp is below F16's smallest half-step of a softmax, silu and gelu are 0 or their
    // argument.
    exp_.emplace(exponential, -16.0f, 0.0f, engine.function_entries);
    silu_.emplace(numerics::silu, -16.0f, 16.0f, engine.function_entries);
    gelu_.emplace(numerics::gelu, -8.0f, 8.0f, engine.function_entries);
  }

  Rows multiply(const Matrix& w, const Rows& x) const override {
    if (const config::OperandChoice* choice = choice_of(engine_, w.name))
      return multiply_as(choice->operands, w, x);
    if (w.format == Format::F32) return on_vector_engine(w, x);
    if (engine_.half_operands || !has_integer_form(w.format)) return with_halves(w, x);
    return engine_.scale_at == ScaleAt::row ? with_row_factors(w, x) : with_blocks(w, x);
  }

  Rows multiply_as(vocabulary::Operands operands, const Matrix& w, const Rows& x) const {
    switch (operands) {
      case vocabulary::Operands::fp16:
        return with_halves(w, x);
      case vocabulary::Operands::bf16:
        return with_halves(w, x, round_to_bf16);
      case vocabulary::Operands::int4_int8:
      case vocabulary::Operands::int8:
        return engine_.scale_at == ScaleAt::row ? with_row_factors(w, x) : with_blocks(w, x);
    }
    throw InternalError("an operand pair without an arithmetic");
  }

  Rows scores(const StoredHead& keys, const Rows& queries) const override {
    const Matrix as_weights{"keys", keys.format, 1, keys.head_dim, nullptr};
    const bool integers = has_integer_form(keys.format) && !engine_.half_operands;
    Rows out(queries.rows(), keys.count);
    for (std::int64_t k = 0; k < keys.count; ++k) {
      Matrix row = as_weights;
      row.data = keys.row(k);
      out.col(k) = integers ? with_blocks(row, queries) : with_halves(row, queries);
    }
    return out;
  }

  Rows mix(const StoredHead& values, const Rows& weights) const override {
    Rows rounded = weights, columns = values.decode_all().transpose();
    round_all(rounded, round_to_half);
    round_all(columns, round_to_half);
    Rows out(weights.rows(), values.head_dim);
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      for (Eigen::Index d = 0; d < out.cols(); ++d)
        out(i, d) = npu_dot(engine_, columns.row(d).data(), rounded.row(i).data(), values.count);
    return out;
  }

  void softmax(float* x, const Span& span, float scale) const override {
    if (!exp_) return numerics::softmax(x, span, scale);
    float largest = -INFINITY;
    for (std::int64_t i = span.begin; i < span.end; ++i) largest = std::fmax(largest, x[i] *= scale);
    float sum = 0;
    for (std::int64_t i = span.begin; i < span.end; ++i)
      sum += x[i] = x[i] - largest < exp_->low() ? 0.0f : (*exp_)(x[i] - largest);
    for (std::int64_t i = span.begin; i < span.end; ++i) x[i] /= sum;
  }

  float silu(float x) const override { return table(silu_, numerics::silu, x); }
  float gelu(float x) const override { return table(gelu_, numerics::gelu, x); }

 private:
  static float table(const std::optional<FunctionTable>& t, float (*function)(float), float x) {
    if (!t) return function(x);
    if (x < t->low()) return 0.0f;
    return x > t->high() ? x : (*t)(x);
  }

  // Runs `row(r, column of out)` for each weight row, over all cores.
  template <class Body>
  static Rows for_rows(const Matrix& w, const Rows& x, const Body& body) {
    Rows out(x.rows(), w.rows);
    parallel(w.rows, w.rows * w.columns * (x.rows() + 4), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) body(r, out);
    });
    return out;
  }

  Rows with_blocks(const Matrix& w, const Rows& x) const {
    std::vector<NpuActivations> rounded;
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      rounded.push_back(round_for(engine_, rounding_for(w.format), x.row(i).data(), x.cols()));
    const BlockShape& shape = block_shape(w.format);
    return for_rows(w, x, [&](std::int64_t r, Rows& out) {
      UnpackedRow row;
      unpack_row(w.format, w.row(r), w.columns, row);
      for (Eigen::Index i = 0; i < out.rows(); ++i)
        out(i, r) = npu_dot(engine_, shape, row, rounded[static_cast<std::size_t>(i)]);
    });
  }

  Rows with_row_factors(const Matrix& w, const Rows& x) const {
    std::vector<RowOfBytes> rounded;
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      rounded.push_back(one_factor(x.row(i).data(), x.cols(), engine_.activation_bits));
    return for_rows(w, x, [&](std::int64_t r, Rows& out) {
      Vector decoded(static_cast<std::size_t>(w.columns));
      decode(w.format, w.row(r), w.columns, decoded.data());
      const RowOfBytes row = one_factor(decoded.data(), w.columns, 8);
      for (Eigen::Index i = 0; i < out.rows(); ++i)
        out(i, r) = npu_dot(engine_, row, rounded[static_cast<std::size_t>(i)]);
    });
  }

  Rows with_halves(const Matrix& w, const Rows& x, float (*round)(float) = round_to_half) const {
    Rows rounded = x;
    round_all(rounded, round);
    return for_rows(w, x, [&](std::int64_t r, Rows& out) {
      Rows decoded(1, w.columns);
      decode(w.format, w.row(r), w.columns, decoded.data());
      round_all(decoded, round);
      for (Eigen::Index i = 0; i < out.rows(); ++i)
        out(i, r) = npu_dot(engine_, decoded.data(), rounded.row(i).data(), w.columns);
    });
  }

  static Rows on_vector_engine(const Matrix& w, const Rows& x) {
    return for_rows(w, x, [&](std::int64_t r, Rows& out) {
      Vector decoded(static_cast<std::size_t>(w.columns));
      decode(w.format, w.row(r), w.columns, decoded.data());
      for (Eigen::Index i = 0; i < out.rows(); ++i)
        out(i, r) = dot_floats(decoded.data(), x.row(i).data(), w.columns);
    });
  }

  NpuArithmetic engine_;
  std::optional<FunctionTable> exp_, silu_, gelu_;
};

}  // namespace

std::unique_ptr<Arithmetic> make_npu_arithmetic(const NpuArithmetic& engine) {
  return std::make_unique<Npu>(engine);
}

}  // namespace edgenpu::numerics
