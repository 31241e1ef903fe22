// Runs programs on the units of a system with our memory. Calls sc_start: once a process (hardware/worker.h).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "activity/snapshot.h"
#include "config/cpu.h"
#include "config/gpu.h"
#include "config/npu.h"
#include "lowering/kernel.h"
#include "lowering/program.h"

namespace edgenpu::hardware {

struct EnginesRun {
  const config::Npu& npu;
  const lowering::Program& program;
};
struct CoresRun {
  const config::Cpu& cpu;
  const lowering::KernelProgram& program;
};
struct KernelsRun {
  const config::Gpu& gpu;
  const lowering::KernelProgram& program;
};

struct UnitRun {
  std::variant<EnginesRun, CoresRun, KernelsRun> what;
  std::string name;          // before the names of its engines; "" for a unit of its own
  int program = 0;           // which of the programs it runs, or a part of which
  std::int64_t address = 0;  // where the program's addresses begin
};

// Operators of all programs have consecutive numbers.
struct ProgramRun {
  int operators = 0;
  int stages = 0;  // more than one unit runs it: how often it changes (hardware/turns.h)
  Femtoseconds handover{0};
};

// Throws InternalError if the simulation stops making progress; says what every queue waits for.
activity::Snapshot run_system(const config::Memory& memory, const std::vector<ProgramRun>& programs,
                              const std::vector<UnitRun>& units, bool burst_detail,
                              const activity::RecordOptions& record = {});

// A unit alone, on the memory of its description.
activity::Snapshot run_alone(const config::Npu& npu, const lowering::Program& program, bool burst_detail,
                             const activity::RecordOptions& record = {});
activity::Snapshot run_alone(const config::Cpu& cpu, const lowering::KernelProgram& program,
                             bool burst_detail, const activity::RecordOptions& record = {});
activity::Snapshot run_alone(const config::Gpu& gpu, const lowering::KernelProgram& program,
                             bool burst_detail, const activity::RecordOptions& record = {});

}  // namespace edgenpu::hardware
