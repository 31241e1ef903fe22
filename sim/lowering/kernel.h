// A kernel program: what a CPU or GPU executes for one step. A kernel is a launch (GPU) or a parallel section
// with a barrier behind it (CPU); it works off its parts in order. A part is one operator's share of the
// kernel: a stream of bytes from DRAM, divided among the cores in grains of rows, with so many cycles of work
// on each row.
//
// What does not travel to DRAM (activations, scores, partial sums) costs instructions and no traffic: it is
// taken to stay in the caches.
#pragma once

#include <string>
#include <vector>

#include "activity/operators.h"
#include "base/quantity.h"
#include "lowering/program.h"

namespace edgenpu::lowering {

struct KernelPart {
  activity::OperatorId op{0};
  Transfer read, write;    // count 0: none
  std::int64_t rows = 1;   // what can be given to different cores
  std::int64_t grain = 1;  // rows that a core takes at a time
  Cycles cycles{0};        // of one core, for all rows
  Macs macs{0};

  Bytes read_bytes() const { return read.bytes * read.count; }
  Bytes write_bytes() const { return write.bytes * write.count; }
};

struct Kernel {
  std::vector<KernelPart> parts;
  int layer = -1;  // of its first operator; -1 outside the layers
  // Time on the host instead of the device, before the kernel's parts (sampling on the host).
  Femtoseconds host{0};
  int stage = 0;  // of a program that several units share (lowering/shared.h)
};

struct KernelProgram {
  std::vector<Kernel> kernels;
  int operators = 0;
  std::vector<std::string> operator_names;
  Bytes outstanding{0};  // one core: bytes in flight
  Bytes run_ahead{0};    // one core: bytes asked for and not used yet
  std::vector<std::string> notes;
};

}  // namespace edgenpu::lowering
