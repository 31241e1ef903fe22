#include "hardware/memory/command_export.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"

namespace edgenpu::hardware {

namespace fs = std::filesystem;

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

ExportFile::ExportFile(const std::string& path) : path_(path), target_(path), written_(path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    if (fs::exists(status)) target_ = fs::canonical(path, error).string();  // a link keeps pointing there
    written_ = target_ + ".tmp" + std::to_string(::getpid());
  }
  file_ = std::fopen(written_.c_str(), "wb");
  if (!file_) fail(errno);
}

ExportFile::~ExportFile() {
  if (!file_) return;
  std::fclose(file_);
  if (written_ != path_) std::remove(written_.c_str());
}

void ExportFile::fail(int error) const {
  throw InputError(Position{path_}, std::string("cannot write here: ") + std::strerror(error));
}

void ExportFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void ExportFile::finish() {
  refuse_input(path_);  // the file of a channel may have the name of a trace
  if (std::fflush(file_) != 0) fail(errno);
  std::FILE* const file = file_;
  file_ = nullptr;
  const bool closed = std::fclose(file) == 0;
  if (closed && (written_ == path_ || std::rename(written_.c_str(), target_.c_str()) == 0)) return;
  const int error = errno;
  if (written_ != path_) std::remove(written_.c_str());
  fail(error);
}

void CommandExport::command(std::int64_t cycle, timing::Command command, int bank, std::int64_t,
                            std::int64_t) {
  if (const char* name = dram_power_name(command)) file_.write(fmt::format("{},{},{}\n", cycle, name, bank));
}

void RequestExport::request(std::int64_t cycle, const TrafficRequest& r) {
  const std::string length = r.bytes > 0 ? fmt::format("({}) ", r.bytes) : "";
  file_.write(fmt::format("{}: {}{} {:#x}\n", cycle, length, r.write ? "write" : "read", r.address));
}

}  // namespace edgenpu::hardware
