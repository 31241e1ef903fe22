// One channel of a memory system in a closed loop (memory_bench.h): a window of requests in flight, the next
// one admitted in the cycle in which one ends. Inner part of the bench.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hardware/memory/channel.h"
#include "hardware/memory/latency_histogram.h"
#include "hardware/memory/memory_bench.h"

namespace edgenpu::hardware {

// One channel's closed loop.
class ClosedLoop {
 public:
  ClosedLoop(const config::Memory& m, const timing::AddressMap& map, int index, const BenchOptions& options,
             activity::Counters& counters, activity::LossLedger& ledger);

  // As run(), a run of requests at a time.
  void run_in_runs(TrafficSource& source);

  void run(TrafficSource& source);

  std::int64_t requests = 0, bytes = 0, first = -1;
  std::int64_t queued_at_end = 0, drain = 0;  // when the stream ended, and the cycles they took
  LatencyHistogram reads, writes;
  const Channel& channel() const { return channel_; }
  Channel& channel() { return channel_; }
  // When the stream had ended and its data were through.
  std::int64_t finished() const { return finished_; }
  // Goes on without requests.
  void rest_until(std::int64_t end) { channel_.run_until(end); }

 private:
  struct InFlight {
    std::int64_t admitted = 0;
    bool write = false;
  };
  // The first request of the next run on this channel is in next_; the number of its requests, 0 at the end.
  std::int64_t fetch_run(TrafficSource& source);
  // `n` requests (negative: writes) that took the channel `cycles`, in a loop of a full window.
  void add_run(std::int64_t n, std::int64_t cycles);
  bool fetch(TrafficSource& source);
  bool can_admit(std::int64_t now) const {
    return !free_.empty() && next_.not_before <= now && channel_.has_room(0);
  }
  void admit(std::int64_t now);
  // To the next moment at which something can be admitted or ends.
  std::int64_t advance(std::int64_t now);

  const config::Memory& memory_;
  const timing::AddressMap& map_;
  int index_;
  const BenchOptions& options_;
  Channel channel_;
  std::vector<InFlight> flights_;
  std::vector<std::int32_t> free_;
  std::deque<std::pair<std::int64_t, std::int32_t>> returning_;
  TrafficRequest next_;
  bool more_ = false;
  std::int64_t burst_bytes_, latency_cycles_ = 0, finished_ = 0;
  std::int64_t late_ = 0;  // cycles that relative times lag behind what the trace says
};

}  // namespace edgenpu::hardware
