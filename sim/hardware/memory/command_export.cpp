#include "hardware/memory/command_export.h"

#include <fmt/format.h>

#include "base/error.h"

namespace edgenpu::hardware {

const char* dram_power_name(timing::Command command) {
  switch (command) {
    case timing::Command::act1:
      return "ACT";
    case timing::Command::pre:
      return "PRE";
    case timing::Command::pre_all:
      return "PREA";
    case timing::Command::rd:
      return "RD";
    case timing::Command::wr:
      return "WR";
    case timing::Command::ref_all:
      return "REF";
    case timing::Command::ref_bank:
      return "REFB";
    case timing::Command::act2:
      break;
  }
  return nullptr;
}

namespace {

std::ofstream opened(const std::string& path) {
  std::ofstream file(path);
  if (!file) throw InputError(Position{path}, "cannot write this file");
  return file;
}

}  // namespace

CommandExport::CommandExport(const std::string& path) : file_(opened(path)) {}

void CommandExport::command(std::int64_t cycle, timing::Command command, int bank, std::int64_t,
                            std::int64_t) {
  if (const char* name = dram_power_name(command)) file_ << fmt::format("{},{},{}\n", cycle, name, bank);
}

RequestExport::RequestExport(const std::string& path) : file_(opened(path)) {}

void RequestExport::request(std::int64_t cycle, const TrafficRequest& r) {
  file_ << fmt::format("{}: {} {:#x}\n", cycle, r.write ? "write" : "read", r.address);
}

}  // namespace edgenpu::hardware
