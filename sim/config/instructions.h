// Instruction counts by class, and how fast a core or multiprocessor executes them: how the cost of a kernel
// is written down, per instruction set, so that a decode rate is a count and not a fraction of a peak.
//
// Law. Instructions of different classes go to different pipes and overlap; all of them pass the issue stage.
// A mix takes the longest of (count / throughput) over the classes and of (sum / issue). Left out:
// dependencies between instructions, except as far as `issue` is a sustained rate measured on such code.
//
// On a CPU a count is one instruction of one core; on a GPU one instruction of one lane (a warp instruction
// is 32).
//   simd      vector arithmetic, logic and reduction of a CPU
//   scalar    everything else of a CPU that is neither a load nor SIMD: scale decoding, loop, addresses
//   load      loads
//   float     fp32 and fp16 arithmetic of a GPU lane
//   integer   integer arithmetic, logic, shifts, dp4a of a GPU lane
//   convert   conversions between integers and floats, transcendental functions
//   tensor    multiply-accumulates of a tensor unit; these do not count as issued, unless a device has no
//             such unit and multiplies matrices on its lanes: then their time adds to that of what is issued
#pragma once

#include <array>
#include <optional>
#include <string>

#include "config/reader.h"

namespace edgenpu::config {

inline constexpr int kInstructionClasses = 7;
inline constexpr std::array<const char*, kInstructionClasses> kInstructionNames = {
    "simd", "scalar", "load", "float", "integer", "convert", "tensor"};
inline constexpr std::size_t kTensor = 6;

struct Instructions {
  std::array<double, kInstructionClasses> count{};

  Instructions& operator+=(const Instructions& o) {
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += o.count[i];
    return *this;
  }
  friend Instructions operator*(Instructions a, double k) {
    for (double& c : a.count) c *= k;
    return a;
  }
  friend Instructions operator+(Instructions a, const Instructions& b) { return a += b; }
};

struct Throughput {
  std::array<double, kInstructionClasses> per_cycle{};  // 0: the device has no such pipe
  double issue = 0;                                     // all classes but tensor together
  bool matrix_on_lanes = false;                         // `tensor` is what the lanes reach in matrix products

  // Cycles of a mix; nullopt if it needs a pipe that the device does not have.
  std::optional<double> cycles(const Instructions& mix) const;
};

Instructions read_instructions(const Value& map, const std::string& what, Diagnostics& out);
// The `throughput` map of a device.
Throughput read_throughput(const Value& map, double issue, Diagnostics& out);

}  // namespace edgenpu::config
