// From one combination of a study's values to what a point runs on. Hardware files and traces are read once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/resolve.h"
#include "simulate.h"
#include "sweep/columns.h"
#include "sweep/expressions.h"
#include "sweep/study_file.h"

namespace edgenpu::sweep {

// What a point runs on.
struct Resolved {
  StepRequest request;
  config::Value tree;
};

using Assignments = std::vector<config::Override>;

// The value that counts of a path that may be assigned several times; nullptr if it is not.
const config::Value* last_value(const Assignments& assignments, const std::string& path);

std::vector<NamedCell> workload_cells(const StepRequest& request);

class Resolver {
 public:
  Resolver(const Study& study, const std::string& data_dir, const std::string& tool);

  const config::HardwareFile& hardware(const config::Value& file) const;
  // The rows of the product of all groups are numbered from 0, the first group slowest. `without` leaves an
  // axis out, so that its base value holds.
  Assignments assignments(std::int64_t row, const std::string& without = "") const;
  // Adds what follows from the rest; the study's derived values are the first of `formulas`.
  Assignments with_derived(Assignments assignments, Expressions& formulas) const;
  // Throws InputError at the value to blame.
  Resolved resolve(const Assignments& assignments) const;
  // All columns of a point.
  std::vector<NamedCell> cells(const Resolved& resolved) const;
  // Shows them to expressions.
  void load(Expressions& formulas, const Resolved& resolved) const;
  // Equal for equal hardware, trace, detail and tool.
  std::string key(const Resolved& resolved) const;
  // Workload and every hardware file read so far.
  std::vector<std::string> known_columns() const;

 private:
  const std::string& trace_hash(const StepRequest& request) const;

  const Study& study_;
  std::string data_dir_, tool_;
  mutable std::map<std::string, config::HardwareFile> files_;
  mutable std::map<std::string, std::string> trace_hashes_;  // by workload
};

}  // namespace edgenpu::sweep
