// The first commands of each channel of a run, as DRAMPower 5 reads them on its command line (src/cli in
// github.com/tukl-msd/DRAMPower): timestamp, command, rank, bank group, bank, row, column[, data], one a
// line, END last. The timestamp is in command clocks; the bank is its number in the rank; an ACT-1 with its
// ACT-2 is one ACT.
//
// Data are zeros: nothing is known about them, so use DRAMPower's toggling rates for the interface. The run
// is stopped when every channel has as many commands as wanted. Needs burst detail, where every command is
// issued.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hardware/memory/memory_system.h"

namespace edgenpu::hardware {

class CommandLog {
 public:
  // Listens to every channel of `memory`.
  CommandLog(const config::Memory& config, MemorySystem& memory, std::int64_t commands);
  ~CommandLog();

  // All channels have what was wanted.
  bool full() const { return full_ == static_cast<int>(channels_.size()); }
  // [channel]
  std::vector<std::string> texts() const;

 private:
  class ChannelLog;
  std::vector<std::unique_ptr<ChannelLog>> channels_;
  int full_ = 0;
};

}  // namespace edgenpu::hardware
