// Selection maps and explanations of published figures, as text, CSV and picture.
#pragma once

#include <string>
#include <vector>

#include "result/selection.h"
#include "result/table.h"

namespace edgenpu::report {

std::string text(const result::SelectionMap& map);
result::Table table(const result::SelectionMap& map);  // one line a limit and model
std::string svg(const result::SelectionMap& map);
std::string text(const std::vector<result::PublishedStep>& explanations);

}  // namespace edgenpu::report
