// Writes what a channel did in formats that other tools read: commands as DRAMPower's CSV
// (cycle,COMMAND,bank; an ACT-1 with its ACT-2 is one ACT), requests as a DRAMSys .stl trace (cycle:
// read|write 0xADDRESS).
#pragma once

#include <fstream>
#include <string>

#include "hardware/memory/channel.h"
#include "hardware/memory/traffic.h"

namespace edgenpu::hardware {

// DRAMPower's word; nullptr: part of another command.
const char* dram_power_name(timing::Command command);

class CommandExport : public CommandListener {
 public:
  // Throws InputError if the file cannot be written.
  explicit CommandExport(const std::string& path);
  void command(std::int64_t cycle, timing::Command command, int bank, std::int64_t row,
               std::int64_t column) override;

 private:
  std::ofstream file_;
};

class RequestExport {
 public:
  explicit RequestExport(const std::string& path);
  void request(std::int64_t cycle, const TrafficRequest& request);

 private:
  std::ofstream file_;
};

}  // namespace edgenpu::hardware
