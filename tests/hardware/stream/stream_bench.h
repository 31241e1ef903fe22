// A bench for stream units: cores that read one contiguous stream, on one of the shipped CPUs, in a process
// of its own (a SystemC process runs once).
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/cpu.h"
#include "config/resolve.h"
#include "hardware/stream/kernel_device.h"
#include "hardware/worker.h"
#include "support/shipped.h"

namespace edgenpu::test {

inline config::Cpu load_cpu(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return config::read_cpu(config::load_hardware_tree(test::hardware_file(name), overrides));
}

// Kernels back to back.
class PlainDevice : public hardware::KernelDevice {
 public:
  using KernelDevice::KernelDevice;

 private:
  Femtoseconds start_of(std::size_t, Femtoseconds previous_end) const override { return previous_end; }
  Femtoseconds after_last() const override { return Femtoseconds(0); }
};

struct Stream {
  int cores = 1;
  Bytes bytes{4 << 20};
  Bytes grain{147'456};        // 64 rows of 4096 weights in Q4_K
  double cycles_per_byte = 0;  // of work
  Bytes written{0};
};

inline lowering::KernelProgram program_of(const Stream& stream) {
  lowering::KernelPart part;
  part.read = {0, stream.bytes, stream.bytes > Bytes(0) ? 1 : 0, Bytes(0)};
  part.write = {std::int64_t{1} << 30, stream.written, stream.written > Bytes(0) ? 1 : 0, Bytes(0)};
  part.rows = std::max<std::int64_t>(1, stream.bytes / stream.grain);
  part.cycles =
      Cycles(static_cast<std::int64_t>(static_cast<double>(stream.bytes.count()) * stream.cycles_per_byte));
  part.macs = Macs(stream.bytes.count());
  lowering::KernelProgram p;
  p.kernels = {lowering::Kernel{{part}}};
  p.operators = 1;
  p.operator_names = {"stream"};
  return p;
}

inline hardware::StreamParameters parameters_of(const config::Cpu& cpu, Bytes request, bool paced) {
  const Bytes outstanding = cpu.line * cpu.outstanding;
  return {cpu.clock, cpu.line, outstanding, std::max(cpu.run_ahead, outstanding), request, paced, cpu.page};
}

inline activity::Snapshot run_stream(const config::Cpu& cpu, const Stream& stream,
                                     const hardware::StreamParameters& parameters) {
  const lowering::KernelProgram program = program_of(stream);
  return hardware::run_in_worker([&] {
           hardware::System system(cpu.memory, {program.operators}, stream.cores, false);
           PlainDevice device("device", "core", stream.cores, parameters, cpu.memory, program,
                              system.counters(), system.ledger());
           system.add(device);
           return system.run();
         })
      .snapshot;
}

inline double gigabytes_per_second(const activity::Snapshot& run) {
  return static_cast<double>(run.total("dram_read_B")) / (static_cast<double>(run.time.count()) * 1e-6);
}

inline double bandwidth(const config::Cpu& cpu, const Stream& stream) {
  const Bytes request =
      hardware::aggregate_request(cpu.line * cpu.outstanding, cpu.line, cpu.memory.interleave);
  return gigabytes_per_second(run_stream(cpu, stream, parameters_of(cpu, request, true)));
}

}  // namespace edgenpu::test
