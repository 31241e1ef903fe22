// A CPU cluster as its YAML describes it: resolved, immutable. The section names are the YAML's.
//
//   kind: cpu
//   clock:, cores:, isa:, tdp:
//   core: {issue:, throughput: {simd:, scalar:, load:}, outstanding:, run_ahead:, peak: {int8:, fp16:, ...}}
//   barrier: time for all cores to meet after an operator
//   cache: {shared: size, port: rate}, page: size   (port: bytes a second from memory into the cluster; default: no limit)
//   memory:, runtime:, energy:              parts
//
// Left out: simultaneous multithreading, cores of different kinds, frequency that follows load.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "config/memory.h"
#include "config/runtime.h"
#include "vocabulary/operands.h"

namespace edgenpu::config {

struct Cpu {
  std::string name, description, isa;
  Hertz clock;
  int cores = 0;
  std::optional<Watts> tdp;
  Throughput throughput;  // of one core
  int outstanding = 0;    // cache lines that one core has in flight: misses and prefetches
  Bytes run_ahead;  // how far ahead of their use lines may be fetched: what prefetchers may fill of a core's
                    // cache
  Bytes line;
  std::map<vocabulary::Operands, double> peak;  // products per cycle and core, by operands: int8, fp16, bf16
  Femtoseconds barrier{0};
  Bytes shared_cache;
  BytesPerSecond port{0};  // 0: no limit
  Bytes page;              // of the operating system: physical pages of this size lie scattered
  Memory memory;
  Runtime runtime;
};

// Reads a tree of load_hardware_tree. Throws InputError with all findings.
Cpu read_cpu(const Value& tree);

// `peak` of a core or multiprocessor; shared by the readers of CPUs and GPUs. Operands are those that
// vocabulary/weight_format.h says: products of F32 weights count as fp16.
std::map<vocabulary::Operands, double> read_peak(const Value& map, Diagnostics& out);

}  // namespace edgenpu::config
