// The scratchpad: banks that each read and write one word a cycle (1R1W), interleaved finely enough that
// concurrent streams spread over all of them. Reads and writes have the full width each; within a direction,
// DMA, matrix and vector engines share it first come first served.
//
// Left out: bank conflicts and port arbitration; contents.
// Counters: scratchpad_read_B, scratchpad_write_B (billable).
#pragma once

#include "activity/counters.h"
#include "config/npu.h"
#include "hardware/npu/bandwidth_server.h"

namespace edgenpu::hardware {

class Scratchpad {
 public:
  Scratchpad(const config::Npu& npu, activity::Counters& counters);

  // When the last byte has been read or written.
  Femtoseconds read(Femtoseconds start, Bytes bytes, activity::OperatorId op);
  Femtoseconds write(Femtoseconds start, Bytes bytes, activity::OperatorId op);

 private:
  BandwidthServer reads_, writes_;
  activity::Counters& counters_;
  activity::CounterId read_B_, write_B_;
};

}  // namespace edgenpu::hardware
