#include "hardware/npu/scratchpad.h"

namespace edgenpu::hardware {

Scratchpad::Scratchpad(const config::Npu& npu, activity::Counters& counters)
    : reads_(npu.scratchpad.width * npu.scratchpad.banks, npu.clock),
      writes_(npu.scratchpad.width * npu.scratchpad.banks, npu.clock),
      counters_(counters),
      read_B_(counters.declare({"scratchpad_read_B", "bytes", "bytes read from the scratchpad", true})),
      write_B_(counters.declare({"scratchpad_write_B", "bytes", "bytes written to the scratchpad", true})) {}

Femtoseconds Scratchpad::read(Femtoseconds start, Bytes bytes, activity::OperatorId op) {
  const Femtoseconds end = reads_.reserve(start, bytes);
  counters_.add_over(op, read_B_, bytes.count(), start, end);
  return end;
}

Femtoseconds Scratchpad::write(Femtoseconds start, Bytes bytes, activity::OperatorId op) {
  const Femtoseconds end = writes_.reserve(start, bytes);
  counters_.add_over(op, write_B_, bytes.count(), start, end);
  return end;
}

}  // namespace edgenpu::hardware
