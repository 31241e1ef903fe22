// A GPU as its YAML describes it: resolved, immutable. The section names are the YAML's.
//
//   kind: gpu | accelerator   an accelerator is any processor that a host launches kernel by kernel: the same
//                             model, an NPU in comparisons
//   clock:, multiprocessors:, isa:, tdp:
//   multiprocessor: {issue:, throughput: {float:, integer:, convert:, load:, tensor:}, matrix:, outstanding:,
//                    line:, peak:}
//     matrix     where products of matrices run: units (beside the lanes, default) or lanes (in place of
//                other instructions)
//     line       bytes that a load fetches (default: 64 B, assumed: a pair of sectors, as large as a DRAM access of
//                a CPU)
//   host: {speed:}            of the processor that launches, relative to the one that the runtime's times
//                             are for [1]
//   launch: {gap:, graph_gap:, latency:}
//     gap        from the end of a kernel to the start of the next one of the same stream
//     graph_gap  the same between nodes of a launched graph
//     latency    cycles of an empty kernel: blocks start, first dependent access, last reduction, exit
//   cache: {shared: size, port: rate}     L2; bytes a second from memory into the device (default: no limit)
//   memory:, runtime:, energy:   parts
//   toolkit:                     which quantisations the chip's compiler makes (config/toolkit.h; default: any)
//
// Left out: kernels that run at the same time, partly filled last waves, clocks that follow load, L1.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "config/memory.h"
#include "config/runtime.h"
#include "vocabulary/operands.h"

namespace edgenpu::config {

struct Gpu {
  std::string kind, name, description, isa;
  Hertz clock;
  int multiprocessors = 0;
  std::optional<Watts> tdp;
  Throughput throughput;  // of one multiprocessor, lanes per cycle
  Bytes outstanding;      // bytes that the memory path of one multiprocessor may have in flight
  Bytes line{64};         // that its loads fetch
  std::map<vocabulary::Operands, double> peak;
  Femtoseconds gap{0}, graph_gap{0};
  Cycles latency;
  Bytes shared_cache;
  BytesPerSecond port{0};  // 0: no limit
  Memory memory;
  Runtime runtime;
};

// Reads a tree of load_hardware_tree. Throws InputError with all findings.
Gpu read_gpu(const Value& tree);

}  // namespace edgenpu::config
