// A GPU: multiprocessors that share each kernel's thread blocks, behind a stream of launches.
//
// Law. The host launches kernels one after the other, each taking `per_kernel`, and runs ahead of the device;
// as a graph, all of a token's kernels are launched together. A kernel starts when it has been launched and
// the one before it has been over for `gap` (`graph_gap` in a graph); an empty kernel takes `latency` cycles,
// which are charged before its work. Where a runtime calls layer by layer, the host's `per_layer` passes
// between them. A token begins with the host's `per_token`. Left out: kernels side by side, copies, power
// states. Parameters: config::Gpu. Counters: see KernelDevice.
#pragma once

#include "config/gpu.h"
#include "hardware/stream/kernel_device.h"

namespace edgenpu::hardware {

class GpuDevice : public KernelDevice {
 public:
  GpuDevice(sc_core::sc_module_name name, const config::Gpu& gpu, const lowering::KernelProgram& program,
            activity::Counters& counters, activity::LossLedger& ledger, std::int64_t address = 0);

 private:
  Femtoseconds start_of(std::size_t kernel, Femtoseconds previous_end) const override;
  Femtoseconds after_last() const override { return Femtoseconds(0); }

  const config::Gpu& gpu_;
  const lowering::KernelProgram& program_;
};

}  // namespace edgenpu::hardware
