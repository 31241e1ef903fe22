// The invented table of tests/data/energy and a run small enough to price by hand.
#pragma once

#include <string>
#include <vector>

#include "config/resolve.h"
#include "energy/price.h"

namespace edgenpu::energy::test {

inline Table tiny_table(const std::vector<std::string>& overrides = {}) {
  const std::string path = std::string(EDGENPU_SOURCE_DIR) + "/tests/data/energy/hardware.yaml";
  return read_table(*config::load_hardware_tree(path, overrides).find("energy"));
}

inline Sizes tiny_sizes() {
  Sizes s;
  s.scratchpad = Bytes(2 << 20);
  s.scratchpad_bank = Bytes(256 << 10);
  s.memory = Bytes(std::int64_t{8} << 30);
  s.memory_rank = Bytes(std::int64_t{1} << 30);
  s.banks_per_rank = 16;
  return s;
}

// Two operators, one second.
inline activity::Snapshot tiny_run() {
  activity::Snapshot s;
  s.time = Femtoseconds(1'000'000'000'000'000);
  s.losses.resize(2);
  const auto count = [&](const char* name, std::int64_t a, std::int64_t b) {
    s.counters.push_back({name, "", "", true});
    s.values.push_back({a, b});
  };
  count("mac_int8", 1'000'000'000'000, 0);
  count("scratchpad_read_B", 100'000'000'000, 100'000'000'000);
  count("interconnect_B", 0, 50'000'000'000);
  count("dram_read_bits", 30'000'000'000, 70'000'000'000);
  count("dram_refresh_ab", 0, 1'000'000);
  count("dram_refresh_pb", 16'000'000, 0);
  return s;
}

inline activity::Snapshot idle_run() {
  activity::Snapshot s = tiny_run();
  for (auto& values : s.values) values.assign(values.size(), 0);
  return s;
}

inline ComponentEnergy component(const StepEnergy& step, const std::string& name) {
  for (const ComponentEnergy& c : step.components)
    if (c.component == name) return c;
  return {"absent: " + name, Joules(-1), Joules(-1)};
}

}  // namespace edgenpu::energy::test
