#include "numerics/functions.h"

#include <cmath>
#include <vector>

#include "base/error.h"
#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

void normalise_rms(const NormWeights& w, float eps, float* x, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(x[i] * x[i]);
  const float mean = static_cast<float>(sum / static_cast<double>(count));
  const float scale = 1.0f / std::sqrt(mean + eps);
  for (std::size_t i = 0; i < count; ++i) x[i] = x[i] * scale * w.scale[i];
}

void normalise_layer(const NormWeights& w, float eps, float* x, std::size_t count) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(x[i]);
  const float mean = static_cast<float>(sum / static_cast<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    x[i] -= mean;
    squares += static_cast<double>(x[i] * x[i]);
  }
  const float variance = static_cast<float>(squares / static_cast<double>(count));
  const float scale = 1.0f / std::sqrt(variance + eps);
  for (std::size_t i = 0; i < count; ++i) x[i] = x[i] * scale * w.scale[i] + w.bias[i];
}

struct Turn {
  float cosine, sine;
};

// The angle of each pair is the previous one's times a constant, in float32, as ggml computes it.
std::vector<Turn> turns(const Rope& rope, bool local, const Vector& factors, std::int64_t position) {
  const float base = local ? rope.base_local : rope.base;
  const float scale = local ? rope.scale_local : rope.scale;
  const float step = std::pow(base, -2.0f / static_cast<float>(rope.dims));
  float angle = static_cast<float>(position);
  std::vector<Turn> list(static_cast<std::size_t>(rope.dims / 2));
  for (std::size_t j = 0; j < list.size(); ++j) {
    const float factor = factors.empty() ? 1.0f : factors[j];
    const float theta = scale * (angle / factor);
    list[j] = {std::cos(theta) * rope.magnitude, std::sin(theta) * rope.magnitude};
    angle *= step;
  }
  return list;
}

}  // namespace

void normalise(NormKind kind, const NormWeights& weights, float eps, Rows& x) {
  const std::size_t stretch = weights.scale.size();
  const auto total = static_cast<std::size_t>(x.size());
  if (stretch == 0 || static_cast<std::size_t>(x.cols()) % stretch != 0)
    throw InternalError("a norm of another width");
  for (std::size_t at = 0; at < total; at += stretch) {
    if (kind == NormKind::rms) {
      normalise_rms(weights, eps, x.data() + at, stretch);
    } else {
      normalise_layer(weights, eps, x.data() + at, stretch);
    }
  }
}

void rotate(const Rope& rope, bool local, const Vector& factors, std::int64_t first, std::int64_t head_dim,
            Rows& x) {
  const std::int64_t half = rope.dims / 2;
  const bool neighbours = rope.pairing == Pairing::neighbours;
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const std::vector<Turn> list = turns(rope, local, factors, first + row);
    for (std::int64_t head = 0; head < x.cols() / head_dim; ++head) {
      float* const h = x.row(row).data() + head * head_dim;
      for (std::int64_t j = 0; j < half; ++j) {
        float& a = h[neighbours ? 2 * j : j];
        float& b = h[neighbours ? 2 * j + 1 : j + half];
        const Turn t = list[static_cast<std::size_t>(j)];
        const float a0 = a, b0 = b;
        a = a0 * t.cosine - b0 * t.sine;
        b = a0 * t.sine + b0 * t.cosine;
      }
    }
  }
}

void softmax(float* x, std::int64_t count, float scale) {
  float largest = -INFINITY;
  for (std::int64_t i = 0; i < count; ++i) {
    x[i] *= scale;
    largest = std::fmax(largest, x[i]);
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    x[i] = std::exp(x[i] - largest);
    sum += static_cast<double>(x[i]);
  }
  const auto inverse = static_cast<float>(1.0 / sum);
  for (std::int64_t i = 0; i < count; ++i) x[i] *= inverse;
}

void soft_cap(float cap, float* x, std::int64_t count) {
  const float inverse = 1.0f / cap;
  for (std::int64_t i = 0; i < count; ++i) x[i] = std::tanh(x[i] * inverse) * cap;
}

float silu(float x) {
  return x / (1.0f + std::exp(-x));
}

float gelu(float x) {
  constexpr float kRoot = 0.79788456080286535587989211986876f;  // sqrt(2 / pi)
  constexpr float kCubic = 0.044715f;
  return 0.5f * x * (1.0f + std::tanh(kRoot * x * (1.0f + kCubic * x * x)));
}

float gelu_by_half(float x) {
  if (x <= -10.0f) return 0.0f;
  if (x >= 10.0f) return x;
  return round_to_half(gelu(round_to_half(x)));
}

}  // namespace edgenpu::numerics
