// A CPU cluster: cores that share each operator's rows, and meet at a barrier behind it.
//
// Law. The first kernel starts after the runtime's host work for a token; each kernel is followed by a
// barrier, whose time the description gives. Waiting cores spin: their cycles count. Left out: unequal cores,
// migrations, other programs; the shared cache as a limit (activations are taken to fit it). Parameters:
// config::Cpu. Counters: see KernelDevice.
#pragma once

#include "config/cpu.h"
#include "hardware/stream/kernel_device.h"

namespace edgenpu::hardware {

class CpuCluster : public KernelDevice {
 public:
  CpuCluster(sc_core::sc_module_name name, const config::Cpu& cpu, const lowering::KernelProgram& program,
             activity::Counters& counters, activity::LossLedger& ledger, std::int64_t address = 0);

 private:
  Femtoseconds start_of(std::size_t kernel, Femtoseconds previous_end) const override;
  Femtoseconds after_last() const override { return cpu_.barrier; }

  const config::Cpu& cpu_;
};

}  // namespace edgenpu::hardware
