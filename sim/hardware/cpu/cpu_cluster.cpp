#include "hardware/cpu/cpu_cluster.h"

namespace edgenpu::hardware {

namespace {

StreamParameters parameters_of(const config::Cpu& cpu, const lowering::KernelProgram& program,
                               std::int64_t address) {
  return {cpu.clock,
          cpu.line,
          program.outstanding,
          program.run_ahead,
          aggregate_request(program.outstanding, cpu.line, cpu.memory.interleave),
          true,
          cpu.page,
          program.operators,
          cpu.port,
          address};
}

}  // namespace

CpuCluster::CpuCluster(sc_core::sc_module_name name, const config::Cpu& cpu,
                       const lowering::KernelProgram& program, activity::Counters& counters,
                       activity::LossLedger& ledger, std::int64_t address)
    : KernelDevice(name, "core", cpu.cores, parameters_of(cpu, program, address), cpu.memory, program,
                   counters, ledger),
      cpu_(cpu) {}

Femtoseconds CpuCluster::start_of(std::size_t kernel, Femtoseconds previous_end) const {
  const config::Runtime& r = cpu_.runtime;
  return kernel == 0 ? r.per_token + r.per_kernel : previous_end + cpu_.barrier + r.per_kernel;
}

}  // namespace edgenpu::hardware
