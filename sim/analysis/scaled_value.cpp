#include "analysis/scaled_value.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

namespace edgenpu::analysis {

std::string scaled_value(const std::string& text, double factor) {
  std::size_t end = 0;
  double number = 0;
  try {
    number = std::stod(text, &end);
  } catch (const std::exception&) {
    return "";
  }
  std::string unit = text.substr(end);
  static const std::map<std::string, double> sizes = {
      {" B", 1}, {" KiB", 1024}, {" MiB", 1024.0 * 1024}, {" GiB", 1024.0 * 1024 * 1024}};
  const bool fraction = text.substr(0, end).find('.') != std::string::npos;
  bool whole = (unit.empty() && !fraction) || unit == " cycles" || unit == " B/cycle";
  if (const auto size = sizes.find(unit); size != sizes.end()) {
    number *= size->second;
    unit = " B";
    whole = true;
  }
  if (!whole) return fmt::format("{:.6g}{}", number * factor, unit);
  auto scaled = static_cast<long long>(std::llround(number * factor));
  const auto now = static_cast<long long>(std::llround(number));
  if (scaled == now) scaled += factor > 1 ? 1 : -1;
  return scaled < 1 ? "" : fmt::format("{}{}", scaled, unit);
}

}  // namespace edgenpu::analysis
