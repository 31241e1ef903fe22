// What CPU clusters and GPUs have in common: cores that share the kernel in progress, the sequence of
// kernels, and the books of a run. The two differ in what passes between kernels, which they say in
// start_of().
//
// Law. A kernel starts at start_of(), plus its host part, if any; it ends when every core has finished. The
// run ends after_last() later.
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

#include "activity/snapshot.h"
#include "hardware/memory/background.h"
#include "hardware/memory/command_log.h"
#include "hardware/memory/memory_system.h"
#include "hardware/stream/stream_unit.h"

namespace edgenpu::hardware {

class KernelDevice : public sc_core::sc_module {
 public:
  KernelDevice(sc_core::sc_module_name name, const std::string& core_name, int cores,
               const StreamParameters& parameters, const config::Memory& memory,
               const lowering::KernelProgram& program, activity::Counters& counters,
               activity::LossLedger& ledger);

  StreamUnit& core(int i) { return *cores_[static_cast<std::size_t>(i)]; }
  bool finished() const { return finished_; }
  Femtoseconds end() const { return end_; }
  std::string describe() const;
  std::vector<activity::EngineTimes> engines() const;
  // Buckets of all cores together go to `timeline` too: before and after the run.
  void record(activity::Timeline& timeline);
  void finish_recording();
  std::int64_t events() const;

 protected:
  // When kernel `i` may start, `previous_end` being the end of the kernel before it.
  virtual Femtoseconds start_of(std::size_t i, Femtoseconds previous_end) const = 0;
  // From the end of the last kernel until the result is there.
  virtual Femtoseconds after_last() const = 0;

 private:
  void run();
  void run_kernel(const lowering::Kernel& kernel);
  void watch_deadlock();
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
  std::size_t next_ = 0;
  bool finished_ = false;
  Femtoseconds end_{0};
  std::int64_t counted_cycles_ = 0, last_progress_ = -1;
  Femtoseconds counted_until_{0};
};

// The rest of a run: memory, counters and ledger first, since the device refers to them.
struct RunBooks {
  RunBooks(const config::Memory& memory, const lowering::KernelProgram& program, int cores, bool burst_detail,
           const activity::RecordOptions& record = {});

  activity::Timeline timeline;
  activity::Counters counters;
  activity::LossLedger ledger;
  MemorySystem memory;
  std::optional<BackgroundReader> background;

  // Binds the cores, runs to the end, and closes the books. Throws InternalError if the run comes to a halt.
  activity::Snapshot run(KernelDevice& device, int cores, const std::vector<std::string>& notes);

 private:
  static int quiet(int operators);
  bool recording_;
  std::optional<CommandLog> log_;
};

}  // namespace edgenpu::hardware
