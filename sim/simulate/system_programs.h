// A system's units with what they can do, and the programs that they run: which unit takes which operator, lowered, at
// addresses of its own.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "config/system.h"
#include "energy/table.h"
#include "hardware/run_system.h"
#include "lowering/shared.h"
#include "simulate.h"
#include "simulate/device.h"

namespace edgenpu::simulate_detail {

struct SystemUnit {
  std::string name;
  config::Value tree;
  Device device;
  energy::Table table;  // its own part (energy/shared.h)
  int program = -1;     // -1: it has nothing to do
};

struct LoweredUnit {
  std::size_t unit = 0;
  std::variant<lowering::Program, lowering::KernelProgram> program;
};

struct PlacedProgram {
  std::string name;
  StepRequest request;
  workload::Trace trace;
  std::vector<std::size_t> units;    // in the order of its placement
  std::vector<std::size_t> unit_of;  // [operator]
  lowering::Shared shared;           // where there are several units
  Femtoseconds handover{0};
  std::vector<LoweredUnit> lowered;
  std::int64_t address = 0;  // where its weights, caches and results begin
  Bytes bytes{0};            // that they take
  int first = 0;             // number of its first operator among those of all programs

  int operators() const { return static_cast<int>(trace.operators.size()); }
  bool takes_turns() const { return units.size() > 1; }
};

struct PlacedSystem {
  config::System system;
  config::Value tree;
  energy::Table shared;  // what the units share
  std::vector<SystemUnit> units;
  std::vector<PlacedProgram> programs;

  int operators() const { return programs.back().first + programs.back().operators(); }
};

// Throws InputError; InfeasibleError if the programs do not fit the memory together.
PlacedSystem place(const StepRequest& request, const config::Value& tree);

// In a process that has not run SystemC before.
activity::Snapshot run(const PlacedSystem& system, bool burst_detail);

}  // namespace edgenpu::simulate_detail
