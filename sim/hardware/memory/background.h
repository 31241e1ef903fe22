// What other masters of the chip read from the shared memory all the time, whatever the step does: a display
// controller's scan-out, the operating system. One master that asks for `request` bytes at a steady rate,
// through a frame at the end of the memory, again and again. Its requests queue like any other; what it could
// not ask for in time it asks for later. Charged to the operator that the memory serves; counted in
// dram_background_B, not in dram_read_B. Left out: bursts of such traffic, writes, priorities of real-time
// masters.
#pragma once

#include <systemc>

#include "config/memory.h"
#include "hardware/memory/initiator.h"

namespace edgenpu::hardware {

// An ideal memory has none: it serves everybody at once.
inline bool has_background(const config::Memory& memory) {
  return !memory.ideal && memory.background.bandwidth > BytesPerSecond(0);
}

class BackgroundReader : public sc_core::sc_module, public Initiator {
 public:
  BackgroundReader(sc_core::sc_module_name name, const config::Memory& memory);

 private:
  void tick();
  void ask();
  void arrive() { deliver(); }
  void settle(Bytes, std::int32_t) override {}

  std::int64_t request_, first_, frame_;
  sc_core::sc_time period_;
  std::int64_t at_ = 0, owed_ = 0;
};

}  // namespace edgenpu::hardware
