// What other masters of the chip read from the shared memory all the time, whatever the step does: a display
// controller's scan-out, the operating system. One real-time master that asks for `request` bytes at a steady
// rate, through a frame at the end of the memory, again and again. A channel takes its requests before the
// step's, so that it gets its rate up to what the memory can do; what it could not ask for in time it asks for
// later. If it falls ten line buffers behind (timing/background.h), the memory cannot serve it, and the run
// stops. Charged to the operator that the memory serves; counted in dram_background_B when it has arrived, not
// in dram_read_B. When the step has asked for nothing during many requests, it lets its own be answered and
// looks whether anything else is still to happen; alone, it ends, so that a deadlock of the step comes to
// light. Left out: bursts of such traffic, writes.
#pragma once

#include <systemc>

#include "config/memory.h"
#include "hardware/memory/initiator.h"
#include "hardware/memory/memory_system.h"
#include "timing/background.h"

namespace edgenpu::hardware {

class BackgroundReader : public sc_core::sc_module, public Initiator {
 public:
  BackgroundReader(sc_core::sc_module_name name, const config::Memory& memory, const MemorySystem& system);

  // Throws InfeasibleError if it fell so far behind that it stopped the run, or ended it behind its line
  // buffer: memory cannot do what is asked.
  void check_served(Femtoseconds end) const;

 private:
  void tick();
  void ask();
  void arrive() { deliver(); }
  void settle(Bytes bytes, std::int32_t) override {
    arrived_ += bytes;
    --in_flight_;
  }
  Bytes behind(Femtoseconds time) const;
  bool alone();

  const config::Memory& memory_;
  const MemorySystem& system_;
  std::int64_t request_, first_, frame_;
  Femtoseconds period_;
  Bytes arrived_{0}, most_behind_{0};
  std::int64_t at_ = 0, owed_ = 0, in_flight_ = 0;
  std::int64_t step_requests_ = 0;  // when it last looked
  std::int64_t since_ = 0;          // requests of its own since then
  bool looking_ = false;            // asks for nothing until all its own are answered
};

}  // namespace edgenpu::hardware
