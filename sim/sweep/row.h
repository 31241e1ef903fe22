// What became of one point: a row of the results. Infeasible and failed points are rows too.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "result/table.h"

namespace edgenpu::sweep {

struct Row {
  std::int64_t number = 0;  // of the point in its study
  std::string id;
  std::string status;   // "ok", "infeasible" (does not fit, cannot map, breaks a constraint), "failed"
  std::string message;  // why not ok
  std::vector<result::Cell> outputs;                     // output_columns(); empty without a result
  std::vector<std::pair<std::string, double>> energy_J;  // by component, of the whole step
  // Where it came from.
  std::string hardware, config, hardware_hash, trace_hash, power_scope;
  std::string notes;  // what the reader of the result should know, with kNoteBreak between
  // Times: the only part that differs between two runs of one point.
  double cpu_s = 0, wall_s = 0;
  std::int64_t peak_rss_B = 0;
};

constexpr const char* kNoteBreak = " | ";

// For the way from the process of a point to the one that writes. Throws InternalError on a truncated buffer.
std::string to_bytes(const Row& row);
Row row_from_bytes(const std::string& bytes);

}  // namespace edgenpu::sweep
