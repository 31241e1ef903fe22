#include "report/numbers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace edgenpu::report {

namespace {

// The decimal exponent of the value after rounding to `digits`: 9.996 counts as 10.0.
int rounded_exponent(double value, int digits) {
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

}  // namespace

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value == 0) return "0";
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - rounded_exponent(value, digits)));
}

std::string with_prefix(double value, const std::string& unit, int digits) {
  static const char* const prefixes[] = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T"};
  constexpr int kSmallest = -15, kLargest = 12;
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} {}", significant(value, digits), unit);
  const int exponent = rounded_exponent(value, digits);
  int group = exponent >= 0 ? exponent / 3 * 3 : -((2 - exponent) / 3 * 3);
  group = std::clamp(group, kSmallest, kLargest);
  const double scaled = value * std::pow(10.0, -group);
  return fmt::format("{} {}{}", significant(scaled, digits), prefixes[(group - kSmallest) / 3], unit);
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return fmt::format("{:.1f} %", 100 * share);
}

std::string bar(double share, int width) {
  const double filled = std::round(std::clamp(share, 0.0, 1.0) * width);
  return std::string(static_cast<std::size_t>(filled), '#');
}

}  // namespace edgenpu::report
