// What CPU clusters and GPUs have in common: cores that share the kernel in progress and the sequence of
// kernels. The two differ in what passes between kernels, which they say in start_of().
//
// Law. A kernel starts at start_of(), plus its host part, if any; it ends when every core has finished. The
// run ends after_last() later. Where several units share a program (hardware/turns.h), a kernel also waits for its
// stage; the device sleeps meanwhile (no cycles are counted), and takes the stage over within `handover`.
//
// Ledger: the time between kernels is `issue`; for the rest see StreamBoard.
// Counters: core_cycles (billable): cores x time, since waiting cores spin or keep their clocks; kernels;
// macs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "hardware/stream/stream_unit.h"
#include "hardware/system.h"
#include "hardware/turns.h"

namespace edgenpu::hardware {

class KernelDevice : public sc_core::sc_module, public Machine {
 public:
  KernelDevice(sc_core::sc_module_name name, const std::string& core_name, int cores,
               const StreamParameters& parameters, const config::Memory& memory,
               const lowering::KernelProgram& program, activity::Counters& counters,
               activity::LossLedger& ledger);

  StreamUnit& core(int i) { return *cores_[static_cast<std::size_t>(i)]; }
  int bind(MemorySystem& memory, int first) override;
  // The program is shared with other units: kernels wait for the stage that they belong to, which the device takes
  // over within `handover`. It sleeps until then.
  void share(Turns& turns, Femtoseconds handover) {
    turns_ = &turns;
    handover_ = handover;
  }
  bool finished() const override { return finished_; }
  Femtoseconds end() const override { return end_; }
  std::string describe() override;
  std::vector<activity::EngineTimes> engines(Femtoseconds end) const override;
  // Buckets of all cores together.
  void record(activity::Timeline& timeline) override;
  void finish_recording() override;
  std::int64_t events() const override;

 protected:
  // When kernel `i` may start, `previous_end` being the end of the kernel before it.
  virtual Femtoseconds start_of(std::size_t i, Femtoseconds previous_end) const = 0;
  // From the end of the last kernel until the result is there.
  virtual Femtoseconds after_last() const = 0;

 private:
  void run();
  bool wait_for_turn(const lowering::Kernel& kernel);
  void end_turn();
  void run_kernel(const lowering::Kernel& kernel);
  void count(const lowering::Kernel& kernel);

  const lowering::KernelProgram& program_;
  activity::Counters& counters_;
  StreamBoard board_;
  WorkSource source_;
  std::unique_ptr<BandwidthServer> port_;
  Hertz clock_;
  std::vector<std::unique_ptr<StreamUnit>> cores_;
  std::string core_name_;
  activity::CounterId core_cycles_, kernels_, macs_;
  Turns* turns_ = nullptr;
  Femtoseconds handover_{0};
  std::size_t next_ = 0;
  bool finished_ = false;
  Femtoseconds end_{0};
  std::int64_t counted_cycles_ = 0;
  Femtoseconds counted_until_{0};
};

}  // namespace edgenpu::hardware
