#include "simulate/bounds.h"

#include <algorithm>
#include <cmath>

namespace edgenpu::simulate_detail {

std::int64_t tokens_of(const workload::Trace& trace) {
  return trace.phase == workload::Phase::decode ? trace.batch : trace.tokens * trace.batch;
}

Bounds bounds_of(const Device& device, const workload::Trace& trace) {
  Bounds b;
  const Bytes bytes = workload::requested_read(trace) + workload::requested_write(trace);
  if (!device.memory().ideal) {
    b.memory_s = static_cast<double>(bytes.count()) / device.memory().peak().count();
    b.memory_less_refresh_s = b.memory_s / (1 - device.memory().refresh_loss());
  }
  double cores_s = 0;
  for (const workload::Operator& op : trace.operators) {
    const Macs macs = workload::macs(op.body);
    if (macs == Macs(0)) continue;
    if (op.runs_on == workload::RunsOn::cores)
      cores_s += static_cast<double>(macs.count()) / device.peak_macs_of_cores();
    else
      b.engines_s += static_cast<double>(macs.count()) / device.peak_macs(workload::operands_of(op).value());
  }
  b.compute_s = std::max(b.engines_s, cores_s);
  return b;
}

std::optional<std::int64_t> batch_at_compute_roof(const workload::Trace& trace, const Bounds& bounds) {
  if (trace.phase != workload::Phase::decode || bounds.memory_s <= 0) return std::nullopt;
  Bytes weights{0}, all{0};
  for (const workload::Operator& op : trace.operators) {
    const auto* product = std::get_if<workload::MatMul>(&op.body);
    if (product && product->copies > 1) return std::nullopt;
    const Bytes bytes = workload::weight_bytes(op.body);
    if (!std::holds_alternative<workload::Embed>(op.body)) weights += bytes;
    all += bytes + workload::input_bytes(op) + workload::kv_read_bytes(op.body) +
           workload::kv_write_bytes(op.body);
  }
  const double second_per_byte = bounds.memory_s / static_cast<double>(all.count());
  const double once = static_cast<double>(weights.count()) * second_per_byte;
  const double batch = static_cast<double>(trace.batch);
  const double gain =
      (bounds.compute_s - (bounds.memory_s - once)) / batch;  // a request, compute over memory
  if (gain <= 0) return std::nullopt;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(once / gain)));
}

}  // namespace edgenpu::simulate_detail
