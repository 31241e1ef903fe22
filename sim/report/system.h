// The result of a system: JSON (each program as `run` prints a step), and text for people.
#pragma once

#include <string>

#include "report/json.h"
#include "result/system_result.h"

namespace edgenpu::report {

std::string json(const result::SystemResult& result, const Tool& tool, bool reproducible = false);
std::string text(const result::SystemResult& result);

}  // namespace edgenpu::report
