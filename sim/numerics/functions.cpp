#include "numerics/functions.h"

#include <algorithm>
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

namespace {

// Scales the row in place and returns its largest value.
float scale_scores(float* x, const Span& span, float scale) {
  float largest = -INFINITY;
  for (std::int64_t i = span.begin; i < span.end; ++i) {
    x[i] *= scale;
    largest = std::fmax(largest, x[i]);
  }
  return largest;
}

void divide(float* x, const Span& span, double sum) {
  const auto inverse = static_cast<float>(1.0 / sum);
  for (std::int64_t i = span.begin; i < span.end; ++i) x[i] *= inverse;
}

}  // namespace

void softmax(float* x, const Span& span, float scale) {
  const float largest = scale_scores(x, span, scale);
  double sum = 0;
  for (std::int64_t i = span.begin; i < span.end; ++i) {
    x[i] = std::exp(x[i] - largest);
    sum += static_cast<double>(x[i]);
  }
  divide(x, span, sum);
}

void softmax_by_polynomial(float* x, const Span& span, float scale) {
  const float largest = scale_scores(x, span, scale);
  const std::int64_t fours = span.length / 4 * 4;  // what is left over is done one by one
  double sum = 0;
  for (std::int64_t first = span.begin / 4 * 4; first < span.end; first += 4) {
    float four[4] = {};
    for (std::int64_t i = std::max(first, span.begin); i < std::min(first + 4, span.end); ++i)
      x[i] = four[i - first] = first < fours ? exp_by_polynomial(x[i] - largest) : std::exp(x[i] - largest);
    if (first < fours) {
      sum += static_cast<double>((four[0] + four[1]) + (four[2] + four[3]));
    } else {
      for (const float v : four) sum += static_cast<double>(v);
    }
  }
  divide(x, span, sum);
}

float exp_by_polynomial(float x) {
  constexpr float kShift = 0x1.8p23f;  // adding it leaves the nearest whole number in the low bits
  const float z = x * 0x1.715476p+0f + kShift;
  const float n = z - kShift;
  const float b = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  const std::uint32_t exponent = bits_of(z) << 23;
  const float u = b * b;
  const float j = ((0x1.0e4020p-7f * b + 0x1.573e2ep-5f) * u + (0x1.555e66p-3f * b + 0x1.fffdb6p-2f)) * u +
                  0x1.ffffecp-1f * b;
  const float size = std::fabs(n);
  if (!(size > 126)) {
    const float k = float_of(exponent + bits_of(1.0f));
    return j * k + k;
  }
  // 2^n alone would leave float32: two factors.
  const std::uint32_t shift = n <= 0 ? 0x82000000u : 0u;
  const float first = float_of(shift + 0x7f000000u);
  if (size > 192) return first * first;
  const float second = float_of(exponent - shift);
  return (second * j + second) * first;
}

void soft_cap(float cap, float* x, std::int64_t count) {
  const float inverse = 1.0f / cap;
  for (std::int64_t i = 0; i < count; ++i) x[i] = std::tanh(x[i] * inverse) * cap;
}

float silu(float x) {
  return x / (1.0f + std::exp(-x));
}

float silu_by_polynomial(float x) {
  return x / (1.0f + exp_by_polynomial(0.0f - x));
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
