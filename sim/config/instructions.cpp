#include "config/instructions.h"

#include <algorithm>

namespace edgenpu::config {

namespace {

std::array<double, kInstructionClasses> read_classes(const Value& map, const std::string& what,
                                                     RealRange range, Diagnostics& out) {
  MapReader r(map, out, what);
  std::array<double, kInstructionClasses> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    r.accept(kInstructionNames[i]);
    if (r.has(kInstructionNames[i])) values[i] = r.real(kInstructionNames[i], range);
  }
  r.finish();
  return values;
}

}  // namespace

std::optional<double> Throughput::cycles(const Instructions& mix) const {
  double longest = 0, issued = 0;
  for (std::size_t i = 0; i < mix.count.size(); ++i) {
    if (mix.count[i] == 0) continue;
    if (per_cycle[i] == 0) return std::nullopt;
    longest = std::max(longest, mix.count[i] / per_cycle[i]);
    if (i != kTensor) issued += mix.count[i];
  }
  const double lanes = matrix_on_lanes ? mix.count[kTensor] / std::max(per_cycle[kTensor], 1e-9) : 0;
  return std::max(longest, issued / issue + lanes);
}

Instructions read_instructions(const Value& map, const std::string& what, Diagnostics& out) {
  return {read_classes(map, what, {0, 1e6}, out)};
}

Throughput read_throughput(const Value& map, double issue, Diagnostics& out) {
  return {read_classes(map, "'throughput'", {1.0 / 64, 1 << 20}, out), issue};
}

}  // namespace edgenpu::config
