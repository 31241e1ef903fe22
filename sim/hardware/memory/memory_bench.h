// Drives the channels of a memory system with a request stream in a closed loop, without SystemC.
//
// Each channel has its own window of `window` requests in flight and takes the requests of the stream that
// fall on it, in order; so channels do not wait for each other, and the sum over channels is what each would
// do alone. A request may carry the cycle before which it does not come. A request ends with its data (plus
// the latency of controller and fabric); the next one is admitted in that cycle. Memory use does not grow
// with the length of the stream.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/memory.h"
#include "hardware/memory/channel.h"
#include "hardware/memory/traffic.h"
#include "result/memory_result.h"

namespace edgenpu::hardware {

struct BenchOptions {
  int window = 32;
  Detail detail = Detail::burst;
  std::int64_t request_bytes = 64;
  // Called for each channel; sees its commands.
  std::function<CommandListener*(int channel)> listener;
  // Sees each request as it is admitted.
  std::function<void(int channel, std::int64_t cycle, const TrafficRequest&)> admitted;
};

using TrafficFactory = std::function<std::unique_ptr<TrafficSource>()>;

// `traffic` makes the stream anew for each channel.
result::MemoryResult run_memory_bench(const config::Memory& memory, const TrafficFactory& traffic,
                                      const std::string& traffic_name, const BenchOptions& options);

}  // namespace edgenpu::hardware
