// The result of a step for people: what came out, how near it is to the roof, where each microsecond and
// joule went, which operators took them, and what to doubt. Plain ASCII, about 100 columns.
#pragma once

#include <string>

#include "result/step_result.h"

namespace edgenpu::report {

std::string text(const result::StepResult& result);

// Parts of it, for other reports on a step.
std::string title(const result::StepResult& result);
std::string loss_table(const result::StepResult& result);
std::string notes(const result::StepResult& result);
std::string operator_table(const result::StepResult& result);

}  // namespace edgenpu::report
