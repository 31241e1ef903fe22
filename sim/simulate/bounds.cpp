#include "simulate/bounds.h"

#include <map>
#include <string>

#include "workload/arithmetic.h"

namespace edgenpu::simulate_detail {

namespace {

// Operand pair of an operator's products.
std::string operands_of(const workload::OperatorBody& body) {
  if (const auto* product = std::get_if<workload::MatMul>(&body))
    return workload::arithmetic(product->format).operands;
  if (const auto* attention = std::get_if<workload::Attention>(&body))
    return attention->kv_format == workload::Format::BF16 ? "bf16" : "fp16";
  return "";
}

}  // namespace

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
  for (const workload::Operator& op : trace.operators) {
    const Macs macs = workload::macs(op.body);
    if (macs == Macs(0)) continue;
    b.compute_s += static_cast<double>(macs.count()) / device.peak_macs(operands_of(op.body));
  }
  return b;
}

}  // namespace edgenpu::simulate_detail
