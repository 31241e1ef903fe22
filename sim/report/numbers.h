// Numbers for people: three significant digits, units with prefixes, shares in per cent. ASCII only.
#pragma once

#include <cstdint>
#include <string>

namespace edgenpu::report {

// At least `digits` significant digits, never an exponent, never fewer digits than the whole part has: 18.94
// -> "18.9", 1234.5 -> "1234" (or "1235"), 0.00123 -> "0.00123", 0 -> "0".
std::string significant(double value, int digits = 3);

// With a decimal prefix (f to T): 0.0512 "s" -> "51.2 ms"; 0 -> "0 s".
std::string with_prefix(double value, const std::string& unit, int digits = 3);

// 0.9063 -> "90.6 %"; above 0 and below 0.05 % -> "< 0.1 %".
std::string percent(double share);

// A bar of `width` characters for a share of 0 to 1: "####".
std::string bar(double share, int width);

}  // namespace edgenpu::report
