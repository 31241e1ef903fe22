// JSON documents for machines, schema 1 (docs/architecture.md, section 6). The same result gives the same
// bytes: keys stand in a fixed order and numbers are written with the fewest digits that read back exactly.
#pragma once

#include <string>

#include "result/step_result.h"

namespace edgenpu::report {

struct Tool {
  std::string version, commit;
};

// Indented, ending in a newline.
// `reproducible`: without what the simulation itself took, so that equal runs give equal bytes.
std::string json(const result::StepResult& result, const Tool& tool, bool reproducible = false);

}  // namespace edgenpu::report
