// Memory traces of other simulators as request streams. The format is told from the first request line:
//
//   Ramulator LD/ST   LD 0x12345680          ST 305419904
//   Ramulator R/W     R 0x40    0x80 R    80 W (hexadecimal)    80    R 0,0,1,2,77,5 (channel,rank,group,bank,
//                     row,burst column)
//   Ramulator CPU     3 20734016    8 20841280 20841344 (a write-back after the read)    3 0x40 W
//   DRAMsim3/DRAMSim2 0x40 READ 100    40 WRITE 120    0x80 P_FETCH 130 (hexadecimal; command clock)
//   DRAMSim2 misc     0x40 read    0x80 write DATA
//   DRAMSys .stl      31: read 400140    33 (128) write 0x80 [DATA] (hexadecimal)
//   DRAMSys .rstl     the same; the time counts from when the request before was admitted (on each channel from
//                     the request of that channel)
//
// Blank lines and what follows '#' or '//' are skipped, CRLF is accepted. Clocks are those of the memory. A
// time before that of the line above is allowed: the request comes as soon as there is room, as in those
// tools. The instructions between the requests of a CPU trace take no time. A request may lie anywhere; it has
// 64 B unless the trace says otherwise. One of a given length covers exactly these bytes, and is a request of
// its own in each channel granule. With `fold`, addresses are taken modulo the capacity (traces of virtual
// addresses).
//
// Errors are InputError with file:line: a file that is unreadable, empty, packed or no regular file, a Git LFS
// pointer, an unknown command, a malformed number, an address beyond the capacity. check_trace() reads all of
// the file before anything runs and shows three of each kind.
#pragma once

#include <istream>
#include <memory>
#include <string>

#include "base/error.h"
#include "config/memory.h"
#include "hardware/memory/trace_line.h"
#include "hardware/memory/traffic.h"
#include "timing/dram_address.h"

namespace edgenpu::hardware {

struct TraceSummary {
  TraceFormat format = TraceFormat::load_store;
  std::int64_t requests = 0;
  std::int64_t folded = 0;        // lines whose address lay beyond the capacity
  std::int64_t out_of_order = 0;  // lines with a time before that of the line above
};

TraceSummary check_trace(const std::string& path, const config::Memory& memory, bool fold = false);

class TraceSource : public TrafficSource {
 public:
  // Throws InputError where the file cannot be read.
  TraceSource(const std::string& path, const config::Memory& memory, bool fold = false);
  TraceSource(std::unique_ptr<std::istream> text, std::string name, const config::Memory& memory,
              bool fold = false);

  // The next request: false at the end; a bad line throws and can be skipped.
  bool next(TrafficRequest& request) override;
  const TraceSummary& summary() const { return summary_; }

 private:
  friend TraceSummary check_trace(TraceSource& source);
  bool next_line(std::string& text);
  void parse(const std::string& text);
  void take(TrafficRequest& request);
  std::int64_t address(const TraceLine& line);
  std::int64_t address_of_vector(std::string_view word) const;
  [[noreturn]] void fail(const char* kind, const std::string& message) const;

  std::string path_;
  const config::Memory& memory_;
  timing::AddressMap map_;
  bool fold_;
  std::unique_ptr<std::istream> file_;
  std::int64_t line_ = 0, clock_ = 0;
  bool known_ = false;
  TraceSummary summary_;
  TrafficRequest rest_;  // what is left of the line; bytes as given, 0: not given
  bool more_ = false;
  std::optional<std::int64_t> writeback_;
};

TraceSummary check_trace(TraceSource& source);

}  // namespace edgenpu::hardware
