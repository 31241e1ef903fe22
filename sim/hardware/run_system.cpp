#include "hardware/run_system.h"

#include <memory>

#include "hardware/cpu/cpu_cluster.h"
#include "hardware/gpu/gpu_device.h"
#include "hardware/npu/npu_top.h"
#include "hardware/system.h"

namespace edgenpu::hardware {

namespace {

constexpr int kNpuSockets = 2;  // loads and stores

struct Sockets {
  int operator()(const EnginesRun&) const { return kNpuSockets; }
  int operator()(const CoresRun& r) const { return r.cpu.cores; }
  int operator()(const KernelsRun& r) const { return r.gpu.multiprocessors; }
};

// The machine of a unit, and its module's name where it is alone.
struct Build {
  const UnitRun& unit;
  System& system;

  std::string name(const char* alone) const { return unit.name.empty() ? alone : unit.name; }
  std::unique_ptr<Machine> operator()(const EnginesRun& r) const {
    return std::make_unique<NpuTop>(name("npu").c_str(), r.npu, r.program, system.counters(), system.ledger(),
                                    unit.address);
  }
  std::unique_ptr<Machine> operator()(const CoresRun& r) const {
    return std::make_unique<CpuCluster>(name("cpu").c_str(), r.cpu, r.program, system.counters(),
                                        system.ledger(), unit.address);
  }
  std::unique_ptr<Machine> operator()(const KernelsRun& r) const {
    return std::make_unique<GpuDevice>(name("gpu").c_str(), r.gpu, r.program, system.counters(),
                                       system.ledger(), unit.address);
  }
};

struct NotesOf {
  std::vector<std::string> operator()(const EnginesRun&) const { return {}; }
  std::vector<std::string> operator()(const CoresRun& r) const { return r.program.notes; }
  std::vector<std::string> operator()(const KernelsRun& r) const { return r.program.notes; }
};

std::vector<std::string> notes_of(const std::vector<UnitRun>& units) {
  std::vector<std::string> notes;
  for (const UnitRun& unit : units)
    for (const std::string& note : std::visit(NotesOf{}, unit.what))
      notes.push_back(unit.name.empty() ? note : unit.name + ": " + note);
  return notes;
}

}  // namespace

activity::Snapshot run_system(const config::Memory& memory, const std::vector<ProgramRun>& programs,
                              const std::vector<UnitRun>& units, bool burst_detail,
                              const activity::RecordOptions& record) {
  std::vector<int> operators;
  std::vector<std::unique_ptr<Turns>> turns;
  int sockets = 0;
  for (const UnitRun& unit : units) sockets += std::visit(Sockets{}, unit.what);
  for (const ProgramRun& program : programs) operators.push_back(program.operators);
  System whole(memory, operators, sockets, burst_detail, record);
  for (const ProgramRun& program : programs)
    turns.push_back(program.stages > 0 ? std::make_unique<Turns>(program.stages) : nullptr);
  std::vector<std::unique_ptr<Machine>> machines;
  for (const UnitRun& unit : units) {
    machines.push_back(std::visit(Build{unit, whole}, unit.what));
    const auto program = static_cast<std::size_t>(unit.program);
    if (auto* device = dynamic_cast<KernelDevice*>(machines.back().get()); device && turns[program])
      device->share(*turns[program], programs[program].handover);
    whole.add(*machines.back(), unit.program, unit.name);
  }
  return whole.run(notes_of(units));
}

activity::Snapshot run_alone(const config::Npu& npu, const lowering::Program& program, bool burst_detail,
                             const activity::RecordOptions& record) {
  return run_system(npu.memory, {{program.operators, 0, Femtoseconds(0)}},
                    {{EnginesRun{npu, program}, "", 0, 0}}, burst_detail, record);
}

activity::Snapshot run_alone(const config::Cpu& cpu, const lowering::KernelProgram& program,
                             bool burst_detail, const activity::RecordOptions& record) {
  return run_system(cpu.memory, {{program.operators, 0, Femtoseconds(0)}},
                    {{CoresRun{cpu, program}, "", 0, 0}}, burst_detail, record);
}

activity::Snapshot run_alone(const config::Gpu& gpu, const lowering::KernelProgram& program,
                             bool burst_detail, const activity::RecordOptions& record) {
  return run_system(gpu.memory, {{program.operators, 0, Femtoseconds(0)}},
                    {{KernelsRun{gpu, program}, "", 0, 0}}, burst_detail, record);
}

}  // namespace edgenpu::hardware
