// A result's range: as CSV, as a page's section, as a tornado, as JSON (report/json_parts.h).
#pragma once

#include <string>
#include <vector>

#include "result/energy_anchors.h"
#include "result/uncertainty.h"

namespace edgenpu::report {

// metric,nominal,p5,p50,p95; then the inputs: input,text,share of the variance of J/token and of EDP, J/token
// at its low and its high end.
std::string uncertainty_csv(const result::Uncertainty& u);
// Markdown: ranges, and the inputs that carry most of the variance of J/token.
std::string uncertainty_section(const result::Uncertainty& u);
std::string uncertainty_tornado(const result::Uncertainty& u, const std::string& title);

// Markdown: measured beside predicted, and the mean absolute error of the rows of each hardware.
std::string anchor_table(const std::vector<result::EnergyAnchor>& anchors);

}  // namespace edgenpu::report
