// The result of `edgenpu memory`: a pattern or trace against one memory system. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace edgenpu::result {

struct MemoryCommands {
  std::int64_t act = 0, pre = 0, rd = 0, wr = 0, ref_ab = 0, ref_pb = 0;
};

struct MemoryRows {
  std::int64_t hits = 0, misses = 0, conflicts = 0;  // bursts
};

struct MemoryChannel {
  std::int64_t requests = 0, bytes = 0;
  double active_ns = 0;           // from its first request to its last data
  double utilisation_active = 0;  // of its peak over that time
  double utilisation_run = 0;     // over the whole run
  MemoryCommands commands;
  MemoryRows rows;
};

struct MemoryLatency {  // nanoseconds, from admission to the end of data plus controller and fabric
  std::int64_t count = 0;
  double mean = 0, p50 = 0, p99 = 0, max = 0;
  double queue_mean = 0;    // until the first column command
  double service_mean = 0;  // the rest
};

struct LatencyBin {
  double up_to_ns = 0;
  std::int64_t requests = 0;
};

struct MemoryEnergyPart {
  std::string component;
  double joules = 0, low = 0, high = 0;
};

struct MemoryResult {
  std::string memory, mapping, refresh, detail, traffic;
  bool confirmed = true;
  int window = 0;
  std::int64_t requests = 0, bytes = 0, cycles = 0;
  double time_ns = 0, achieved_GBps = 0, peak_GBps = 0, utilisation = 0;
  MemoryLatency read_latency_ns, write_latency_ns;
  std::vector<LatencyBin> read_histogram;
  double row_hit_rate = 0;  // of bursts: hits / (hits + misses + conflicts); 0 without any
  MemoryCommands commands;
  MemoryRows rows;
  std::vector<MemoryEnergyPart> energy;  // empty: not priced
  std::optional<double> energy_pJ_per_bit;
  double energy_pJ_per_bit_low = 0, energy_pJ_per_bit_high = 0;  // with all prices at an end of their ranges
  std::vector<std::pair<std::string, double>> power_states_s;    // rank-seconds
  // The requests that had not ended when the stream did, and how long they took then.
  std::int64_t queued_at_end = 0;
  double drain_ns = 0;
  std::optional<std::int64_t> timing_violations;  // absent: not checked
  std::vector<std::string> timing_messages;
  std::vector<MemoryChannel> channels;
  std::vector<std::string> notes;
  double cpu_s = 0, wall_s = 0;
  std::int64_t dram_commands = 0;
};

}  // namespace edgenpu::result
