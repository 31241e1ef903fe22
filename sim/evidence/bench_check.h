// Whether a test of llama-bench ran on what it is about to be simulated on, as far as its row says.
#pragma once

#include <string>
#include <vector>

#include "evidence/mapping.h"

namespace edgenpu::evidence {

// What the row changes about the hardware: flash attention on a GPU is one kernel, attention without it four.
std::vector<config::Override> bench_overrides(const Measurement& row, const Mapped& m);

// Why the row cannot be held against this hardware: another kind of device or back end, layers that the GPU
// did not compute, threads that the description has no cores for, prompts without flash attention on a GPU
// (their scores would go through memory), parameters or bytes that are not the model's. "": it can. Smaller
// differences of bytes become notes of `m`. Throws InputError for a model or mixture that is not known.
std::string refused_bench(const Measurement& row, Mapped& m, const config::Value& hardware);

}  // namespace edgenpu::evidence
