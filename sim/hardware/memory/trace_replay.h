// Memory traces of other simulators as request streams. The format is told from the first request line:
//
//   Ramulator LD/ST   LD 0x12345680          ST 305419904
//   Ramulator R/W     R 0x40    W 0x80    0x40 R    R 0,0,1,2,77,5 (channel,rank,group,bank,row,burst column)
//   DRAMsim3          0x40 READ 100          0x80 WRITE 120          (command clock)
//   DRAMSys .stl      31: read 0x400140      31: write (32) 0x80 [data]
//
// Blank lines and what follows '#' or '//' are skipped, CRLF is accepted. A request may lie anywhere;
// requests of 64 B unless the trace says otherwise. Clocks are those of the memory, and must not run
// backwards. Errors are InputError with file:line: unreadable or empty file, a Git LFS pointer, an unknown
// command, a malformed number, an address beyond the capacity. check_trace() finds all of them (up to 20)
// before anything runs.
#pragma once

#include <fstream>
#include <string>

#include "base/error.h"
#include "config/memory.h"
#include "hardware/memory/traffic.h"
#include "timing/dram_address.h"

namespace edgenpu::hardware {

enum class TraceFormat { load_store, read_write, dramsim3, stl };
const char* to_string(TraceFormat format);

struct TraceSummary {
  TraceFormat format = TraceFormat::load_store;
  std::int64_t requests = 0;
};

TraceSummary check_trace(const std::string& path, const config::Memory& memory);

class TraceSource : public TrafficSource {
 public:
  // Throws InputError where the file cannot be read.
  TraceSource(std::string path, const config::Memory& memory);

  bool next(TrafficRequest& request) override;
  TraceFormat format() const { return format_; }

  // The next request line as it is, for checking: false at the end; a bad line throws and can be skipped.
  std::int64_t line() const { return line_; }

 private:
  bool next_line(std::string& text);
  void parse(const std::string& text, TrafficRequest& request);
  TraceFormat recognise(const std::vector<std::string>& words) const;
  std::int64_t number(const std::string& word, const char* what) const;
  std::int64_t address(const std::string& word) const;
  [[noreturn]] void fail(const std::string& message) const;

  std::string path_;
  const config::Memory& memory_;
  timing::AddressMap map_;
  std::ifstream file_;
  std::int64_t line_ = 0, clock_ = 0;
  bool known_ = false;
  TraceFormat format_ = TraceFormat::load_store;
};

}  // namespace edgenpu::hardware
