// The books of a run, the same for every kind of machine: memory, counters and ledger, which the machine refers
// to, and the one way in which they are closed.
//
// Closing, in this order: memory is brought up to the end of the run, so that channels without traffic have
// their refreshes too; the ledger; then what both and the machine have counted is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "activity/snapshot.h"
#include "hardware/memory/background.h"
#include "hardware/memory/command_log.h"
#include "hardware/memory/memory_system.h"

namespace edgenpu::hardware {

// What the books must know of a machine.
class Machine {
 public:
  virtual ~Machine() = default;
  // After sc_start: whether everything was done, when, and if not, what was waiting.
  virtual bool finished() const = 0;
  virtual Femtoseconds end() const = 0;
  virtual std::string describe() = 0;
  virtual std::vector<activity::EngineTimes> engines() const = 0;
  virtual std::int64_t events() const = 0;
  // Buckets of its engines go to `timeline` too: before and after the run.
  virtual void record(activity::Timeline& timeline) = 0;
  virtual void finish_recording() = 0;
};

struct RunBooks {
  // `masters`: sockets of the machine, the first of memory's.
  RunBooks(const config::Memory& memory, int operators, int masters, bool burst_detail,
           const activity::RecordOptions& record = {});

  activity::Timeline timeline;
  activity::Counters counters;
  activity::LossLedger ledger;
  MemorySystem memory;
  std::optional<BackgroundReader> background;

  // Runs a machine whose sockets are bound to the end, and closes the books. Throws InternalError if the run
  // comes to a halt.
  activity::Snapshot run(Machine& machine, const std::vector<std::string>& notes = {});

 private:
  static int quiet(int operators);
  activity::Snapshot close(Machine& machine, const std::vector<std::string>& notes);
  bool recording_;
  std::optional<CommandLog> log_;
};

}  // namespace edgenpu::hardware
