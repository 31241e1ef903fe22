// A number of a hardware description, as text with its unit, made larger or smaller.
#pragma once

#include <string>

namespace edgenpu::analysis {

// "2 MiB" x 1.1 -> "2306867 B"; "4" x 1.1 -> "5" (a whole number changes by at least one); "16 cycles" x 0.5
// -> "8 cycles"; "2 us" x 1.1 -> "2.2 us". "" where nothing changes: 1 x 0.9 cannot be less than 1.
std::string scaled_value(const std::string& text, double factor);

}  // namespace edgenpu::analysis
