// A file of finished steps: a line each, `key TAB result`. Several processes may append to one at the same
// time; lines of other builds stay, their keys fit nothing here. A line that was cut off is skipped, and its
// step runs again.
//
// Errors (InputError): a file that is something else, unreadable, or no regular file; a line that cannot be
// written (a full disk), of which nothing is left behind.
#pragma once

#include <map>
#include <string>

#include "base/outcome.h"

namespace edgenpu::evidence {

// What validation needs of a step.
struct StepFigures {
  double tokens_per_s = 0, total_s = 0, J_per_token = 0, roof_tokens_per_s = 0, cpu_s = 0;
};

struct PointResult {
  std::string platform, runtime;  // names in the hardware tree
  Outcome<StepFigures> figures;
};

// One line, whatever is in the names: tabs, line ends and other control characters become blanks.
std::string to_line(const PointResult& result);
// False if it is no such line.
bool from_line(const std::string& line, PointResult& result);

// "": no file, nothing is kept.
std::map<std::string, PointResult> read_steps(const std::string& path);
void append_step(const std::string& path, const std::string& key, const std::string& line);

}  // namespace edgenpu::evidence
