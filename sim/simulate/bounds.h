// Lower bounds on the time of a step that no schedule can beat, from the trace and the hardware's peaks
// alone.
#pragma once

#include <optional>

#include "simulate/device.h"
#include "workload/trace.h"

namespace edgenpu::simulate_detail {

struct Bounds {
  double memory_s = 0;               // requested bytes / peak bandwidth; 0 for ideal memory
  double memory_less_refresh_s = 0;  // the same over what all-bank refresh leaves
  double compute_s = 0;              // the longer of the engines' products and the cores', at their peaks
  double engines_s = 0;              // the engines'
};

Bounds bounds_of(const Device& device, const workload::Trace& trace);

// The smallest batch at which decoding is bound by compute instead of memory: weights are read once for all
// requests, everything else grows with them. Nothing in prefill, without a memory bound, where each request
// alone moves more than the engines need, or where the weights read depend on the batch (experts).
std::optional<std::int64_t> batch_at_compute_roof(const workload::Trace& trace, const Bounds& bounds);

// Tokens that the step produces: one per request in decode, the prompt's in prefill.
std::int64_t tokens_of(const workload::Trace& trace);

}  // namespace edgenpu::simulate_detail
