// The command processor: issues the program's commands in order, one per `issue` cycles, into the units'
// bounded queues, and stops at a full one (back-pressure), or before a command that is a barrier until all
// commands before it have finished (wait_dependency). It starts after the host's overhead. Counters:
// control_instructions (commands issued, billable).
#pragma once

#include <systemc>

#include "hardware/npu/context.h"

namespace edgenpu::hardware {

class CommandProcessor : public sc_core::sc_module {
 public:
  CommandProcessor(sc_core::sc_module_name name, NpuContext& context);
  activity::BucketClock& buckets() { return buckets_; }
  const activity::BucketClock& buckets() const { return buckets_; }
  // The next command to issue; the number of commands when all are issued.
  int next() const { return next_; }

 private:
  void run();

  NpuContext& context_;
  activity::BucketClock buckets_;
  activity::CounterId issued_;
  int next_ = 0;
  bool launched_ = false;
};

}  // namespace edgenpu::hardware
