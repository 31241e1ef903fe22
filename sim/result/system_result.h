// The result of a run of a system: the step of each program, and what the units and the memory that they share did.
#pragma once

#include <string>
#include <vector>

#include "result/step_result.h"

namespace edgenpu::result {

struct ProgramResult {
  std::string name;
  std::vector<std::string> units;
  StepResult step;
};

struct UnitResult {
  std::string name, kind, description;
  std::string program;  // "": it had nothing to do
  std::int64_t operators = 0, dram_read_B = 0, dram_write_B = 0, macs = 0;
  double energy_J = 0;       // of its own components, for the whole run
  double dram_energy_J = 0;  // of the DRAM actions for its operators
  double static_J = 0;       // of its own components, included
  Losses losses_s{};         // of its operators
};

struct SystemResult {
  std::string name;
  double total_s = 0;   // until the last program has ended
  double energy_J = 0;  // of everything
  double shared_J = 0;  // static power of what is shared, included
  std::string power_scope;
  std::vector<ProgramResult> programs;
  std::vector<UnitResult> units;
  std::vector<Check> checks;  // of the run as a whole

  bool all_checks_ok() const {
    for (const Check& c : checks)
      if (!c.ok) return false;
    for (const ProgramResult& p : programs)
      if (!p.step.all_checks_ok()) return false;
    return true;
  }
};

}  // namespace edgenpu::result
