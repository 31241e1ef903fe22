// Q6_K: x = (d * scale) * q with q in -32..31, an 8-bit scale for each 16 elements and d in f16.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/half.h"
#include "numerics/quantise.h"

namespace edgenpu::numerics {
namespace {

constexpr int kGroups = 16, kGroup = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

int code(double x, double inverse) {
  return static_cast<int>(std::clamp(std::nearbyint(x * inverse), -32.0, 31.0));
}

double error_of(const float* x, float scale) {
  if (scale == 0) {
    double zero_error = 0;
    for (int i = 0; i < kGroup; ++i) zero_error += static_cast<double>(x[i]) * x[i];
    return zero_error;
  }
  const double inverse = 1.0 / scale;
  double error = 0;
  for (int i = 0; i < kGroup; ++i) {
    const double e = static_cast<double>(scale * static_cast<float>(code(x[i], inverse))) - x[i];
    error += e * e;
  }
  return error;
}

// The scale of least squared error for the codes that `scale` gives.
double refit(const float* x, double scale) {
  double xq = 0, qq = 0;
  for (int i = 0; i < kGroup; ++i) {
    const int q = code(x[i], 1.0 / scale);
    xq += x[i] * static_cast<double>(q);
    qq += static_cast<double>(q) * q;
  }
  return qq > 0 ? xq / qq : scale;
}

// The best real scale of a group. Starts put the largest element on codes -32 (which only that sign has) down
// to 24.
double fit_group(const float* x) {
  double largest = 0;
  for (int i = 0; i < kGroup; ++i)
    if (std::fabs(x[i]) > std::fabs(largest)) largest = x[i];
  if (largest == 0) return 0;
  double best = 0, least = kInfinity;
  for (int half_top = -70; half_top <= 70; half_top += half_top == -48 ? 96 : 1) {
    double scale = largest / (0.5 * half_top);
    for (int round = 0; round < 2; ++round) {
      const double error = error_of(x, static_cast<float>(scale));
      if (error < least) least = error, best = scale;
      scale = refit(x, scale);
    }
  }
  return best;
}

struct Choice {
  float d = 0;
  std::array<int, kGroups> scale{};
  double error = kInfinity;
};

// The best small scale of each group for a given d: the nearest to the fit, or its neighbours.
Choice choose(const float* x, const std::array<double, kGroups>& fits, float d, double give_up) {
  Choice c;
  c.d = d;
  c.error = 0;
  for (std::ptrdiff_t g = 0; g < kGroups && c.error < give_up; ++g) {
    const int nearest = d == 0 ? 0
                               : static_cast<int>(std::clamp(
                                     std::nearbyint(fits[static_cast<std::size_t>(g)] / d), -128.0, 127.0));
    double least = kInfinity;
    for (int s = std::max(nearest - 1, -128); s <= std::min(nearest + 1, 127); ++s) {
      const double error = error_of(x + g * kGroup, d * static_cast<float>(s));
      if (error < least) least = error, c.scale[static_cast<std::size_t>(g)] = s;
    }
    c.error += least;
  }
  return c;
}

void store(const Choice& c, const float* x, std::uint8_t* out) {
  std::memset(out, 0, 210);
  for (int g = 0; g < kGroups; ++g)
    out[192 + g] = static_cast<std::uint8_t>(c.scale[static_cast<std::size_t>(g)]);
  const std::uint16_t half = float_to_half(c.d);
  std::memcpy(out + 208, &half, sizeof half);
  for (int e = 0; e < 256; ++e) {
    const float scale = c.d * static_cast<float>(c.scale[static_cast<std::size_t>(e / kGroup)]);
    const int value = 32 + (scale == 0 ? 0 : code(x[e], 1.0 / scale));
    const int half_block = e / 128, row = e / 32 % 4, l = e % 32;
    out[64 * half_block + 32 * (row & 1) + l] |= static_cast<std::uint8_t>((value & 15) << (row < 2 ? 0 : 4));
    out[128 + 32 * half_block + l] |= static_cast<std::uint8_t>(value >> 4 << (2 * row));
  }
}

}  // namespace

void quantise_block_q6_k(const float* x, std::uint8_t* out) {
  std::array<double, kGroups> fits;
  double largest = 0;
  for (std::ptrdiff_t g = 0; g < kGroups; ++g) {
    fits[static_cast<std::size_t>(g)] = fit_group(x + g * kGroup);
    if (std::fabs(fits[static_cast<std::size_t>(g)]) > std::fabs(largest))
      largest = fits[static_cast<std::size_t>(g)];
  }
  Choice best = choose(x, fits, 0.0f, kInfinity);
  // The group of largest scale gets -128 down to 113, of either sign of d: the choice decides how well f16
  // holds d and how well the other groups' scales are met.
  for (int top = 113; top <= 128 && largest != 0; ++top)
    for (const int sign : {-1, 1}) {
      if (sign > 0 && top == 128) continue;
      const Choice c = choose(x, fits, round_to_half(static_cast<float>(largest / (sign * top))), best.error);
      if (c.error < best.error) best = c;
    }
  store(best, x, out);
}

}  // namespace edgenpu::numerics
