// Q4_K: x = (d * scale) * q - (dmin * min) with q in 0..15, 6-bit scale and min for each 32 elements, d and
// dmin in f16.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/half.h"
#include "numerics/quantise.h"

namespace edgenpu::numerics {
namespace {

constexpr int kGroups = 8, kGroup = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// x ~ scale * q - min, both not negative.
struct Line {
  double scale = 0, min = 0;
};

int code(double x, double inverse, double min) {
  return static_cast<int>(std::clamp(std::nearbyint((x + min) * inverse), 0.0, 15.0));
}

double error_of(const float* x, float scale, float min) {
  const double inverse = scale > 0 ? 1.0 / scale : 0.0;
  double error = 0;
  for (int i = 0; i < kGroup; ++i) {
    const double e = static_cast<double>(scale * static_cast<float>(code(x[i], inverse, min)) - min) - x[i];
    error += e * e;
  }
  return error;
}

// The line of least squared error through the codes that `line` gives, kept to what the format can hold.
Line refit(const float* x, const Line& line) {
  const double inverse = line.scale > 0 ? 1.0 / line.scale : 0.0;
  double sx = 0, sq = 0, sqq = 0, sxq = 0;
  for (int i = 0; i < kGroup; ++i) {
    const int q = code(x[i], inverse, line.min);
    sx += x[i];
    sq += q;
    sqq += static_cast<double>(q) * q;
    sxq += x[i] * static_cast<double>(q);
  }
  const double determinant = kGroup * sqq - sq * sq;
  if (determinant > 0) {
    const Line fitted{(kGroup * sxq - sx * sq) / determinant, (sq * sxq - sx * sqq) / determinant};
    if (fitted.scale >= 0 && fitted.min >= 0) return fitted;
  }
  if (sqq > 0 && sxq > 0) return {sxq / sqq, 0};
  return {0, std::max(0.0, -sx / kGroup)};
}

// Starts: the group's range on 15 steps, its ends drawn in or pushed out by up to about a step.
Line fit_group(const float* x) {
  const auto [low, high] = std::minmax_element(x, x + kGroup);
  const double bottom = std::min(0.0, static_cast<double>(*low));
  const double range = static_cast<double>(*high) - bottom;
  Line best{0, 0};
  double least = error_of(x, 0, 0);
  for (int half_steps = 25; half_steps <= 35; ++half_steps)
    for (int half_shift = -2; half_shift <= 2; ++half_shift) {
      const double step = range / (0.5 * half_steps);
      Line line{step, std::max(0.0, -bottom + 0.5 * half_shift * step)};
      for (int round = 0; round < 4; ++round) {
        const double error = error_of(x, static_cast<float>(line.scale), static_cast<float>(line.min));
        if (error < least) least = error, best = line;
        line = refit(x, line);
      }
    }
  return best;
}

struct Choice {
  float d = 0, dmin = 0;
  std::array<int, kGroups> scale{}, min{};
  double error = kInfinity;
};

int nearest(double value, float unit) {
  return unit > 0 ? static_cast<int>(std::clamp(std::nearbyint(value / unit), 0.0, 63.0)) : 0;
}

// The best 6-bit scale and min of each group for given factors: the nearest to the fit, or their neighbours.
Choice choose(const float* x, const std::array<Line, kGroups>& fits, float d, float dmin, double give_up) {
  Choice c;
  c.d = d;
  c.dmin = dmin;
  c.error = 0;
  for (std::size_t g = 0; g < kGroups && c.error < give_up; ++g) {
    const int scale = nearest(fits[g].scale, d), min = nearest(fits[g].min, dmin);
    double least = kInfinity;
    for (int s = std::max(scale - 1, 0); s <= std::min(scale + 1, 63); ++s)
      for (int m = std::max(min - 1, 0); m <= std::min(min + 1, 63); ++m) {
        const double error =
            error_of(x + g * kGroup, d * static_cast<float>(s), dmin * static_cast<float>(m));
        if (error < least) least = error, c.scale[g] = s, c.min[g] = m;
      }
    c.error += least;
  }
  return c;
}

void store(const Choice& c, const float* x, std::uint8_t* out) {
  std::memset(out, 0, 144);
  const std::uint16_t halves[2] = {float_to_half(c.d), float_to_half(c.dmin)};
  std::memcpy(out, halves, sizeof halves);
  std::uint8_t* const s = out + 4;
  for (std::size_t j = 0; j < 4; ++j) {
    s[j] = static_cast<std::uint8_t>(c.scale[j] | c.scale[j + 4] >> 4 << 6);
    s[j + 4] = static_cast<std::uint8_t>(c.min[j] | c.min[j + 4] >> 4 << 6);
    s[j + 8] = static_cast<std::uint8_t>((c.scale[j + 4] & 15) | (c.min[j + 4] & 15) << 4);
  }
  for (int e = 0; e < 256; ++e) {
    const auto g = static_cast<std::size_t>(e / kGroup);
    const float scale = c.d * static_cast<float>(c.scale[g]), min = c.dmin * static_cast<float>(c.min[g]);
    const int q = code(x[e], scale > 0 ? 1.0 / scale : 0.0, min);
    out[16 + e / 64 * 32 + e % 32] |= static_cast<std::uint8_t>(q << (e / 32 % 2 * 4));
  }
}

}  // namespace

void quantise_block_q4_k(const float* x, std::uint8_t* out) {
  std::array<Line, kGroups> fits;
  double scale = 0, min = 0;
  for (std::size_t g = 0; g < kGroups; ++g) {
    fits[g] = fit_group(x + g * kGroup);
    scale = std::max(scale, fits[g].scale);
    min = std::max(min, fits[g].min);
  }
  Choice best = choose(x, fits, 0, 0, kInfinity);
  // The largest scale and min get 63 down to 58, which decides how well f16 holds the factors and the grid
  // the rest.
  for (int top_scale = 63; top_scale >= 58; --top_scale)
    for (int top_min = 63; top_min >= 58; --top_min) {
      const float d = round_to_half(static_cast<float>(scale / top_scale));
      const float dmin = round_to_half(static_cast<float>(min / top_min));
      const Choice c = choose(x, fits, d, dmin, best.error);
      if (c.error < best.error) best = c;
      if (min == 0) break;
    }
  store(best, x, out);
}

}  // namespace edgenpu::numerics
