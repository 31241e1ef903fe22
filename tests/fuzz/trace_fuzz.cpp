// Feeds any text to the reader of trace files; what it accepts must survive being written, read again and
// counted. Bad input may only end in InputError; everything else is a finding.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "workload/trace_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace edgenpu::workload;
  try {
    const Trace trace = parse_trace(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    const std::string text = write_trace(trace);
    const Trace again = parse_trace(text, "again");
    const bool same = write_trace(again) == text && requested_read(again) == requested_read(trace) &&
                      total_macs(again) == total_macs(trace) &&
                      requested_write(again) == requested_write(trace);
    if (!same) std::abort();
  } catch (const edgenpu::InputError&) {
  }
  return 0;
}
