// The physics that must hold in every run (docs/architecture.md, section 5), printed with every result.
#pragma once

#include <vector>

#include "activity/snapshot.h"
#include "energy/price.h"
#include "result/step_result.h"
#include "simulate/bounds.h"
#include "simulate/device.h"
#include "workload/trace.h"

namespace edgenpu::simulate_detail {

// What a step ran on, as far as its result depends on it.
struct Ground {
  const config::Memory& memory;
  std::int64_t kv_page = 0;
  Bounds bounds;
  std::vector<std::string> notes;
  // Of a program on several units, or beside others: the unit of each operator, what units hand to each other through
  // memory, and whether the run is this step's alone.
  std::vector<std::string> units{};
  Bytes handed_read{0}, handed_written{0};
  bool alone = true;
};

std::vector<result::Check> checks_of(const Ground& ground, const workload::Trace& trace,
                                     const activity::Snapshot& run, const energy::StepEnergy& energy);

// Of a whole run: what masters beside the step asked for was delivered.
result::Check background_delivered(const config::Memory& memory, const activity::Snapshot& run);

}  // namespace edgenpu::simulate_detail
