#include "workload/trace.h"

namespace edgenpu::workload {

std::string stand_in_note(const Trace& trace) {
  return trace.stand_in.empty() ? "" : trace.model + " is a stand-in: " + trace.stand_in;
}

Bytes requested_read(const Trace& trace) {
  Bytes sum{0};
  for (const Operator& op : trace.operators) sum += input_bytes(op) + kv_read_bytes(op.body);
  return sum + weights_read(trace);
}

Bytes weights_read(const Trace& trace) {
  Bytes sum{0};
  for (const Operator& op : trace.operators) sum += weight_bytes(op.body);
  return sum;
}

Bytes inputs_read(const Trace& trace) {
  Bytes sum{0};
  for (const Operator& op : trace.operators) sum += input_bytes(op);
  return sum;
}

Bytes requested_write(const Trace& trace) {
  Bytes sum{0};
  for (const Operator& op : trace.operators) sum += kv_write_bytes(op.body);
  return sum;
}

Macs total_macs(const Trace& trace) {
  Macs sum{0};
  for (const Operator& op : trace.operators) sum += macs(op.body);
  return sum;
}

}  // namespace edgenpu::workload
