// Operators -> kernel program, for a CPU or a GPU under a given runtime. The runtime decides which operators
// share a kernel, what is quantised where, and the instructions per element; the device decides how many
// cycles they take.
//
// Modelled: matrix products (one activation row, or few, by instruction counts; many on tensor units where
// the runtime has such kernels), attention by its products and its exponentials, element-wise functions,
// sampling. Left out: activations that do not fit the shared cache (a note says so), loss of parallelism
// inside a row.
#pragma once

#include "config/cpu.h"
#include "config/gpu.h"
#include "lowering/kernel.h"
#include "lowering/shared.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// Throw InfeasibleError: model and cache do not fit; the runtime has no kernel for a format.
KernelProgram lower_kernels(const workload::Trace& trace, const config::Cpu& cpu);
KernelProgram lower_kernels(const workload::Trace& trace, const config::Gpu& gpu);
// The operators of unit `mine`, of a trace that several units share.
KernelProgram lower_kernels(const workload::Trace& trace, const config::Cpu& cpu, const Shared& shared,
                            int mine);
KernelProgram lower_kernels(const workload::Trace& trace, const config::Gpu& gpu, const Shared& shared,
                            int mine);

}  // namespace edgenpu::lowering
