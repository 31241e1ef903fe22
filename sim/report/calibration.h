// Calibrations for people, machines and documents.
#pragma once

#include <string>

#include "report/json.h"
#include "result/calibration.h"
#include "result/table.h"

namespace edgenpu::report {

std::string text(const result::Calibration& calibration);
std::string json(const result::Calibration& calibration, const Tool& tool);
// One line a measurement.
result::Table table(const result::Calibration& calibration);

}  // namespace edgenpu::report
