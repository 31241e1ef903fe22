// Writes what a channel did in formats that other tools read: commands as DRAMPower's CSV
// (cycle,COMMAND,bank; an ACT-1 with its ACT-2 is one ACT), requests as a DRAMSys .stl trace (cycle: [(length)]
// read|write 0xADDRESS).
#pragma once

#include <cstdio>
#include <string>

#include "hardware/memory/channel.h"
#include "hardware/memory/traffic.h"

namespace edgenpu::hardware {

// DRAMPower's word; nullptr: part of another command.
const char* dram_power_name(timing::Command command);

// A file that appears whole or not at all: it is written beside its place and takes its name in finish(). A
// path that exists and is no regular file (a pipe, a device) is written to directly. All calls throw
// InputError with the path and the system's reason, as soon as something could not be written.
class ExportFile {
 public:
  explicit ExportFile(const std::string& path);
  ~ExportFile();
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;

  void write(const std::string& text);
  void finish();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_, target_, written_;  // as given; without links; what is written to
  std::FILE* file_;
};

class CommandExport : public CommandListener {
 public:
  explicit CommandExport(const std::string& path) : file_(path) {}
  void command(std::int64_t cycle, timing::Command command, int bank, std::int64_t row,
               std::int64_t column) override;
  void finish() { file_.finish(); }

 private:
  ExportFile file_;
};

class RequestExport {
 public:
  explicit RequestExport(const std::string& path) : file_(path) {}
  void request(std::int64_t cycle, const TrafficRequest& request);
  void finish() { file_.finish(); }

 private:
  ExportFile file_;
};

}  // namespace edgenpu::hardware
