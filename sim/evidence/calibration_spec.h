// What may be calibrated, as YAML: classes of platforms that share a runtime, and factors on values that
// their descriptions assume. And the file with what was found, which `validate --calibration` applies.
//
//   kind: calibration                               kind: calibrated
//   classes:                                        classes:
//     - name: TEXT                                    - name: TEXT
//       platform: REGEX, runtime: REGEX                 platform:, runtime:, rows: N
//       parameters:                                     parameters:
//         - {path: P, factors: [0.5, 1, 2], meaning:}     - {path: P, factor: N, low:, high:, meaning:,
//         source:}
//
// A row belongs to the first class whose expressions match the names of its hardware and runtime. A factor
// multiplies the number at the path, whatever its unit; whole numbers stay whole. The lowest and highest of
// `factors` are its bounds. rows, low, high, meaning and sources are for the reader; they are checked. Errors: InputError with positions.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "config/resolve.h"

namespace edgenpu::evidence {

struct FactorSpec {
  std::string path, meaning;
  std::vector<double> factors;  // ascending, 1 among them; for a calibrated file, the one found
};

struct ClassSpec {
  std::string name, platform_text, runtime_text;
  std::regex platform, runtime;
  std::vector<FactorSpec> parameters;
};

std::vector<ClassSpec> read_calibration(const std::string& path);
std::vector<ClassSpec> read_calibrated(const std::string& path);

// nullptr: none.
const ClassSpec* class_of(const std::vector<ClassSpec>& classes, const std::string& platform,
                          const std::string& runtime);

// `path` times `factor` in this hardware. Throws InputError if there is no number.
config::Override scaled(const config::Value& tree, const std::string& path, double factor);

}  // namespace edgenpu::evidence
