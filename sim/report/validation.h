// Published measurements beside simulated ones, for people, machines and documents.
#pragma once

#include <string>

#include "report/json.h"
#include "result/table.h"
#include "result/validation.h"

namespace edgenpu::report {

std::string text(const result::Validation& validation);
std::string json(const result::Validation& validation, const Tool& tool);
// One line a figure, for spreadsheets: csv() of report/study.h writes it.
result::Table table(const result::Validation& validation);
// Simulated over measured on logarithmic axes, a mark a figure of `metric`, coloured by class.
std::string scatter_svg(const result::Validation& validation, const std::string& metric,
                        const std::string& title);

}  // namespace edgenpu::report
