// The vector engine: fp32 lanes, one command at a time.
//
// Law. A command takes `start` cycles, then ceil(elements / lanes) x operations cycles
// (timing/unit_cycles.h), and no less than its operands need to pass the scratchpad. Stalls as the matrix
// engines do. Counters: vector_fma (lane operations, billable).
#pragma once

#include <systemc>

#include "hardware/npu/context.h"
#include "hardware/npu/scratchpad.h"

namespace edgenpu::hardware {

class VectorEngine : public sc_core::sc_module {
 public:
  VectorEngine(sc_core::sc_module_name name, NpuContext& context, Scratchpad& scratchpad);
  activity::BucketClock& buckets() { return buckets_; }
  const activity::BucketClock& buckets() const { return buckets_; }

 private:
  void run();
  void start(int command, Femtoseconds now);

  NpuContext& context_;
  Scratchpad& scratchpad_;
  activity::BucketClock buckets_;
  activity::CounterId operations_;
  int running_ = -1;
  Femtoseconds busy_until_{0};
  // Apart from the wake event: a sooner notification of one event would cancel a later one.
  sc_core::sc_event free_;
};

}  // namespace edgenpu::hardware
