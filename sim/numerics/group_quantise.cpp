#include "numerics/group_quantise.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "numerics/half.h"

namespace edgenpu::numerics {
namespace {

void check(const GroupOptions& o) {
  if (o.bits < 2 || o.bits > 8)
    throw InputError(Position{"group quantisation"}, fmt::format("{} bits; 2 to 8 are allowed", o.bits));
  if (o.group < 4 || o.group > 256)
    throw InputError(Position{"group quantisation"},
                     fmt::format("groups of {}; 4 to 256 are allowed", o.group));
}

struct Group {
  float scale = 0, zero = 0;
};

int code(float x, const Group& g, int top) {
  if (g.scale == 0) return static_cast<int>(g.zero);
  return static_cast<int>(std::clamp(std::nearbyint(x / g.scale + g.zero), 0.0f, static_cast<float>(top)));
}

float value(int q, const Group& g) {
  return g.scale * (static_cast<float>(q) - g.zero);
}

// Zero is kept inside the range, so that the zero point is one of the codes.
Group fit_range(float low, float high, int top) {
  low = std::min(low, 0.0f);
  high = std::max(high, 0.0f);
  Group g;
  g.scale = round_to_half((high - low) / static_cast<float>(top));
  if (g.scale > 0) g.zero = std::clamp(std::nearbyint(-low / g.scale), 0.0f, static_cast<float>(top));
  return g;
}

double squared_error(const float* x, std::int64_t count, const Group& g, int top) {
  double error = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double e = static_cast<double>(value(code(x[i], g, top), g)) - x[i];
    error += e * e;
  }
  return error;
}

// The range itself, then ends drawn in independently by 4 % steps to 60 %.
Group fit_clipped(const float* x, std::int64_t count, float low, float high, int top) {
  Group best = fit_range(low, high, top);
  double least = squared_error(x, count, best, top);
  for (int a = 25; a >= 15; --a)
    for (int b = 25; b >= 15; --b) {
      const Group g = fit_range(low * static_cast<float>(a) / 25, high * static_cast<float>(b) / 25, top);
      const double error = squared_error(x, count, g, top);
      if (error < least) least = error, best = g;
    }
  return best;
}

// Positions of the values inside their group's range, 0 to 1. A group of one value sits at 0.
std::vector<float> positions(GroupQuantised& q, const float* x, std::int64_t count) {
  std::vector<float> at(static_cast<std::size_t>(count));
  for (std::int64_t first = 0; first < count; first += q.options.group) {
    const std::int64_t last = std::min(count, first + q.options.group);
    const auto [low, high] = std::minmax_element(x + first, x + last);
    const float min = round_to_half(*low), range = round_to_half(*high - *low);
    q.zero.push_back(min);
    q.scale.push_back(range);
    for (std::int64_t i = first; i < last; ++i)
      at[static_cast<std::size_t>(i)] = range > 0 ? std::clamp((x[i] - min) / range, 0.0f, 1.0f) : 0.0f;
  }
  return at;
}

// Equal shares of the sorted positions, each stood for by its mean.
std::vector<float> equal_levels(std::vector<float> at, int count) {
  std::sort(at.begin(), at.end());
  std::vector<float> levels;
  for (int k = 0; k < count; ++k) {
    const std::size_t first = at.size() * static_cast<std::size_t>(k) / static_cast<std::size_t>(count);
    const std::size_t last =
        std::max(first + 1, at.size() * static_cast<std::size_t>(k + 1) / static_cast<std::size_t>(count));
    double sum = 0;
    for (std::size_t i = first; i < std::min(last, at.size()); ++i) sum += at[i];
    levels.push_back(
        round_to_half(static_cast<float>(sum / static_cast<double>(std::min(last, at.size()) - first))));
  }
  return levels;
}

std::uint8_t nearest_level(const std::vector<float>& levels, float at) {
  const auto above = std::lower_bound(levels.begin(), levels.end(), at);
  if (above == levels.begin()) return 0;
  if (above == levels.end()) return static_cast<std::uint8_t>(levels.size() - 1);
  const auto index = static_cast<std::size_t>(above - levels.begin());
  return static_cast<std::uint8_t>(at - levels[index - 1] <= levels[index] - at ? index - 1 : index);
}

void equalise(GroupQuantised& q, const float* x, std::int64_t count) {
  const std::vector<float> at = positions(q, x, count);
  q.level = equal_levels(at, 1 << q.options.bits);
  for (std::size_t i = 0; i < at.size(); ++i) q.codes[i] = nearest_level(q.level, at[i]);
}

void scale_and_zero(GroupQuantised& q, const float* x, std::int64_t count) {
  const int top = (1 << q.options.bits) - 1;
  for (std::int64_t first = 0; first < count; first += q.options.group) {
    const std::int64_t last = std::min(count, first + q.options.group);
    const auto [low, high] = std::minmax_element(x + first, x + last);
    const Group g = q.options.levels == Levels::clipped
                        ? fit_clipped(x + first, last - first, *low, *high, top)
                        : fit_range(*low, *high, top);
    q.scale.push_back(g.scale);
    q.zero.push_back(g.zero);
    for (std::int64_t i = first; i < last; ++i)
      q.codes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(code(x[i], g, top));
  }
}

QuantiserRow block_row(Format format, const float* values, std::int64_t count) {
  std::vector<float> decoded(static_cast<std::size_t>(count));
  const std::vector<std::uint8_t> bytes = quantise(format, values, count);
  decode(format, bytes.data(), count, decoded.data());
  return {vocabulary::info(format).name, 8.0 * static_cast<double>(bytes.size()) / static_cast<double>(count),
          compare(values, decoded.data(), count)};
}

QuantiserRow group_row(const GroupOptions& options, const char* method, const float* values,
                       std::int64_t count) {
  std::vector<float> decoded(static_cast<std::size_t>(count));
  const GroupQuantised q = group_quantise(options, values, count);
  decode(q, decoded.data());
  return {fmt::format("{} of {}", method, options.group), bits_per_value(q),
          compare(values, decoded.data(), count)};
}

}  // namespace

GroupQuantised group_quantise(const GroupOptions& options, const float* values, std::int64_t count) {
  check(options);
  if (count < 1) throw InternalError("quantising nothing");
  GroupQuantised q;
  q.options = options;
  q.codes.resize(static_cast<std::size_t>(count));
  if (options.levels == Levels::equalised) {
    equalise(q, values, count);
  } else {
    scale_and_zero(q, values, count);
  }
  return q;
}

void decode(const GroupQuantised& q, float* out) {
  for (std::size_t i = 0; i < q.codes.size(); ++i) {
    const std::size_t g = i / static_cast<std::size_t>(q.options.group);
    out[i] = q.level.empty() ? value(q.codes[i], {q.scale[g], q.zero[g]})
                             : q.zero[g] + q.scale[g] * q.level[q.codes[i]];
  }
}

double bits_per_value(const GroupQuantised& q) {
  const bool equalised = !q.level.empty();
  const double per_group = 16 + (equalised ? 16 : q.options.bits);
  const double bits = q.options.bits * static_cast<double>(q.codes.size()) +
                      per_group * static_cast<double>(q.scale.size()) +
                      16.0 * static_cast<double>(q.level.size());
  return bits / static_cast<double>(q.codes.size());
}

std::vector<QuantiserRow> compare_quantisers(const float* values, std::int64_t count,
                                             const std::vector<int>& groups) {
  std::vector<QuantiserRow> rows;
  for (const Format f : {Format::F16, Format::BF16, Format::Q8_0, Format::Q6_K, Format::Q4_K, Format::Q4_0})
    rows.push_back(block_row(f, values, count));
  for (const int group : groups) {
    rows.push_back(group_row({Levels::range, 4, group}, "range", values, count));
    rows.push_back(group_row({Levels::clipped, 4, group}, "clipped", values, count));
    rows.push_back(group_row({Levels::equalised, 4, group}, "equalised", values, count));
  }
  return rows;
}

std::string format_table(const std::vector<QuantiserRow>& rows) {
  std::string text =
      fmt::format("{:<18}{:>12}{:>14}{:>14}\n", "quantiser", "bits/value", "relative rms", "largest");
  for (const QuantiserRow& r : rows)
    text += fmt::format("{:<18}{:>12.3f}{:>14.5f}{:>14.5g}\n", r.name, r.bits_per_value, r.error.relative_rms,
                        r.error.largest);
  return text;
}

}  // namespace edgenpu::numerics
