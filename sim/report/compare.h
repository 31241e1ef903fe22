// Printers of a comparison: for people, and as JSON (docs/architecture.md, section 6).
#pragma once

#include <string>

#include "report/json.h"
#include "result/comparison.h"

namespace edgenpu::report {

std::string text(const result::Comparison& comparison);
// The energy of each row by what it is for, as a picture.
std::string split_svg(const result::Comparison& comparison);
// Indented, ending in a newline.
std::string json(const result::Comparison& comparison, const Tool& tool);

}  // namespace edgenpu::report
