// Feeds any text to the reader of SCALE-Sim topologies; what it accepts must be a trace that its own reader
// takes. Bad input may only end in InputError; everything else is a finding.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "workload/import_topology.h"
#include "workload/trace_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace edgenpu::workload;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Format format : {Format::F16, Format::Q4_K}) try {
      const Trace trace = parse_topology(text, "fuzz", format);
      const Trace again = parse_trace(write_trace(trace), "again");
      if (total_macs(again) != total_macs(trace) || requested_read(again) != requested_read(trace))
        std::abort();
    } catch (const edgenpu::InputError&) {
    }
  return 0;
}
