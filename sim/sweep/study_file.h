// A study as its YAML describes it (docs/studies.md has the format with examples):
//
//   study: NAME            letters, digits, '-', '_', '.': names the results
//   question: text         what it answers
//   hardware: FILE         relative to this file
//   model: NAME            in models/, or a path relative to this file
//   workload: {quant:, transform:, phase:, context:, prompt:, batch:, kv:, detail:, repeat:}
//   set: {path: value}     overrides that all points share
//   axes:
//     grid: {path: [values] | {from:, to:, steps: | step:, scale: linear|log}}
//     zip: [{path: [values], path: [values]}]                      lists that advance together
//     random: {points:, seed:, over: {path: [values] | {from:, to:, step:, scale:}}}
//     latin_hypercube: (as random)
//   derive: {path: expression}      set for each point, in this order
//   exclude: [expression]           points left out
//   constraints: [expression]       a point that breaks one is a row of status infeasible
//   limits: {timeout:, memory:}     of one point
//
// A path is one of the resolved hardware, or of the workload: hardware, model, quant, transform, phase,
// context, prompt, batch, kv, detail, repeat. The axes of all kinds are crossed; the first one varies
// slowest. Errors: InputError with every finding at its position.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/resolve.h"
#include "config/value.h"

namespace edgenpu::sweep {

// Paths that advance together: row r assigns rows[r][i] to paths[i].
struct Group {
  std::vector<std::string> paths;
  std::vector<Position> positions;  // of the paths
  std::vector<std::vector<config::Value>> rows;
};

struct Formula {
  std::string path;  // of what is derived; "" for conditions
  std::string text;
  Position where;
};

struct Study {
  std::string file, name, question;
  std::vector<config::Override>
      base;  // workload and overrides that all points share; hardware and model first
  std::vector<Group> groups;
  std::vector<Formula> derive, exclude, constraints;
  double timeout_s = 600;
  std::int64_t memory_B = std::int64_t{4} << 30;
};

const std::vector<std::string>& workload_paths();
bool is_workload_path(const std::string& path);

Study read_study(const std::string& file);

}  // namespace edgenpu::sweep
