#include "numerics/npu_product.h"

#include <algorithm>
#include <cmath>

#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

// No sum of a block's products can leave 31 bits: 256 elements x 127 x 32 x 128 for Q6_K is the largest.
bool exact(const NpuArithmetic& e) {
  return e.accumulator_bits >= 31 && e.dropped_bits == 0;
}

std::int64_t group_sum(const NpuArithmetic& e, const Accumulator& register_, const std::int8_t* w,
                       const std::int8_t* x, std::int64_t count) {
  if (exact(e)) {
    std::int32_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<std::int32_t>(w[i]) * x[i];
    return sum;
  }
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i)
    sum = register_.add(sum, register_.cut(static_cast<std::int64_t>(w[i]) * x[i]));
  return sum;
}

std::int64_t sum_of(const std::int8_t* x, int count) {
  std::int32_t sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i];
  return sum;
}

// Integers of `bits` with one factor for each `span`.
void round_span(const float* x, std::int64_t span, int bits, std::int8_t* q, float& d) {
  const float top = static_cast<float>((1 << (bits - 1)) - 1);
  float largest = 0;
  for (std::int64_t i = 0; i < span; ++i) largest = std::fmax(largest, std::fabs(x[i]));
  d = largest / top;
  const float inverse = d != 0 ? 1.0f / d : 0.0f;
  for (std::int64_t i = 0; i < span; ++i) {
    const float scaled = x[i] * inverse;
    q[i] = std::isfinite(scaled) ? static_cast<std::int8_t>(std::clamp(std::nearbyint(scaled), -top, top))
                                 : std::int8_t{0};
  }
}

}  // namespace

float PartialSum::round(float x) const {
  switch (format_) {
    case SumFormat::F16:
      return round_to_half(x);
    case SumFormat::BF16:
      return bf16_to_float(float_to_bf16(x));
    case SumFormat::F32:
      break;
  }
  return x;
}

NpuActivations round_for(const NpuArithmetic& e, Rounding8 partner, const float* x, std::int64_t count) {
  const std::int64_t block = partner == Rounding8::Q8_K ? 256 : 32;
  if (e.activation_bits == 8 && e.activation_factor == ActivationFactor::block) {
    Activations a = round_activations(partner, x, count);
    return {block, std::move(a.q), std::move(a.d)};
  }
  NpuActivations out{block, std::vector<std::int8_t>(static_cast<std::size_t>(count)),
                     std::vector<float>(static_cast<std::size_t>(count / block))};
  if (e.activation_factor == ActivationFactor::row) {
    float d = 0;
    round_span(x, count, e.activation_bits, out.q.data(), d);
    std::fill(out.d.begin(), out.d.end(), d);
    return out;
  }
  for (std::size_t b = 0; b < out.d.size(); ++b) {
    const auto at = static_cast<std::int64_t>(b) * block;
    round_span(x + at, block, e.activation_bits, out.q.data() + at, out.d[b]);
  }
  return out;
}

float npu_dot(const NpuArithmetic& e, const BlockShape& shape, const UnpackedRow& w,
              const NpuActivations& x) {
  const Accumulator acc(e);
  PartialSum total(e);
  for (std::size_t n = 0; n < w.blocks.size(); ++n) {
    const Block& b = w.blocks[n];
    const std::int8_t* const a = x.q.data() + n * static_cast<std::size_t>(shape.elements);
    std::int64_t scaled = 0, minimum = 0;
    for (std::ptrdiff_t g = 0; g < shape.elements / shape.group; ++g) {
      const std::int64_t sum = group_sum(e, acc, b.q + g * shape.group, a + g * shape.group, shape.group);
      const std::int64_t offset = shape.has_min ? sum_of(a + g * shape.group, shape.group) : 0;
      if (e.scale_at == ScaleAt::group) {
        total.add(b.d * static_cast<float>(b.scale[g]) * x.d[n] * acc.value(sum));
        if (shape.has_min)
          total.add(-(b.dmin * static_cast<float>(b.min[g]) * x.d[n] * static_cast<float>(offset)));
      } else {
        scaled = acc.add(scaled, sum * b.scale[g]);
        minimum = acc.add(minimum, acc.cut(offset * b.min[g]));
      }
    }
    if (e.scale_at != ScaleAt::group)
      total.add(x.d[n] * (b.d * acc.value(scaled) - b.dmin * acc.value(minimum)));
    total.at(static_cast<std::int64_t>(n + 1) * shape.elements);
  }
  return total.total();
}

RowOfBytes one_factor(const float* values, std::int64_t count, int bits) {
  RowOfBytes row{std::vector<std::int8_t>(static_cast<std::size_t>(count)), 0};
  round_span(values, count, bits, row.q.data(), row.d);
  return row;
}

// Tiles do not matter: the accumulator keeps its content from one to the next.
float npu_dot(const NpuArithmetic& e, const RowOfBytes& w, const RowOfBytes& x) {
  const Accumulator acc(e);
  std::int64_t sum = 0;
  // 1024 products of bytes stay below 2^24, so that each part is exact and only the sum may leave the
  // register.
  for (std::size_t at = 0; at < w.q.size(); at += 1024) {
    const auto count = static_cast<std::int64_t>(std::min<std::size_t>(1024, w.q.size() - at));
    if (exact(e)) {
      sum = acc.add(sum, group_sum(e, acc, w.q.data() + at, x.q.data() + at, count));
    } else {
      for (std::size_t i = at; i < at + static_cast<std::size_t>(count); ++i)
        sum = acc.add(sum, acc.cut(static_cast<std::int64_t>(w.q[i]) * x.q[i]));
    }
  }
  return acc.value(sum) * (w.d * x.d);
}

float npu_dot(const NpuArithmetic& e, const float* a, const float* b, std::int64_t count) {
  PartialSum total(e);
  for (std::int64_t i = 0; i < count; ++i) {
    total.add(a[i] * b[i]);
    total.at(i + 1);
  }
  return total.total();
}

}  // namespace edgenpu::numerics
