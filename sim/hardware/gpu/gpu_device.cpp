#include "hardware/gpu/gpu_device.h"

#include <algorithm>

namespace edgenpu::hardware {

namespace {

StreamParameters parameters_of(const config::Gpu& gpu, const lowering::KernelProgram& program,
                               std::int64_t address) {
  return {gpu.clock,
          gpu.line,
          program.outstanding,
          program.run_ahead,
          aggregate_request(program.outstanding, gpu.line, gpu.memory.interleave),
          true,
          Bytes(0),
          program.operators,
          gpu.port,
          address};
}

}  // namespace

GpuDevice::GpuDevice(sc_core::sc_module_name name, const config::Gpu& gpu,
                     const lowering::KernelProgram& program, activity::Counters& counters,
                     activity::LossLedger& ledger, std::int64_t address)
    : KernelDevice(name, "sm", gpu.multiprocessors, parameters_of(gpu, program, address), gpu.memory, program,
                   counters, ledger),
      gpu_(gpu),
      program_(program) {}

Femtoseconds GpuDevice::start_of(std::size_t kernel, Femtoseconds previous_end) const {
  const config::Runtime& r = gpu_.runtime;
  const Femtoseconds empty = time_of(gpu_.latency, gpu_.clock);
  // A host part runs on the host: nothing is launched for it.
  if (program_.kernels[kernel].host > Femtoseconds(0)) return previous_end;
  // The host waits for each call.
  if (r.per_layer > Femtoseconds(0) && kernel > 0 &&
      program_.kernels[kernel].layer != program_.kernels[kernel - 1].layer)
    return previous_end + r.per_layer + empty;
  const auto launches = static_cast<std::int64_t>(r.graph ? 1 : kernel + 1);
  const Femtoseconds launched = r.per_token + r.per_kernel * launches;
  if (kernel == 0) return launched + empty;
  return std::max(launched, previous_end + (r.graph ? gpu_.graph_gap : gpu_.gap)) + empty;
}

}  // namespace edgenpu::hardware
