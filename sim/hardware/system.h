// A system: units on one memory, the counters and the ledger that they share, and the one way in which a run is
// closed. The only assembly: a device of its own is a system of one unit.
//
// Programs. Operators are numbered through all programs; each program has an account of its own in the ledger
// (activity/ledger.h) and ends when the last of its units has finished. The run ends when all have.
//
// Closing, in this order: memory is brought up to the end of the run, so that channels without traffic have their
// refreshes too; the ledger; then what both and the units have counted is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "activity/snapshot.h"
#include "hardware/machine.h"
#include "hardware/memory/background.h"
#include "hardware/memory/command_log.h"
#include "hardware/memory/memory_system.h"

namespace edgenpu::hardware {

class System {
 public:
  // `operators`: of each program. `masters`: sockets of all units.
  System(const config::Memory& memory, const std::vector<int>& operators, int masters, bool burst_detail,
         const activity::RecordOptions& record = {});

  activity::Counters& counters() { return counters_; }
  activity::LossLedger& ledger() { return ledger_; }
  MemorySystem& memory() { return memory_; }

  // A unit with its own part of a program, bound to memory's next sockets. `name`: before the names of its engines;
  // "" where it is alone. It must outlive the run.
  void add(Machine& machine, int program = 0, const std::string& name = "");

  // To the end. Throws InternalError if the run comes to a halt before.
  activity::Snapshot run(const std::vector<std::string>& notes = {});

 private:
  struct Unit {
    Machine* machine;
    int program;
    std::string name;
  };
  static const std::vector<int>& quiet(const std::vector<int>& operators);
  void one_finished();
  std::string describe();
  std::vector<Femtoseconds> ends() const;
  activity::Snapshot close(const std::vector<std::string>& notes);

  activity::Timeline timeline_;
  activity::Counters counters_;
  activity::LossLedger ledger_;
  MemorySystem memory_;
  std::optional<BackgroundReader> background_;
  std::optional<CommandLog> log_;
  std::vector<int> operators_;
  std::vector<Unit> units_;
  bool recording_;
  int next_socket_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace edgenpu::hardware
