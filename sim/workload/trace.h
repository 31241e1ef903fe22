// A layer trace: one step of a model as a list of operators, in an order that respects their dependencies.
#pragma once

#include <string>
#include <vector>

#include "workload/operator.h"

namespace edgenpu::workload {

enum class Phase { decode, prefill };

struct Trace {
  std::string model;     // "llama-3.1-8b"
  std::string quant;     // "Q4_K_M"
  std::string stand_in;  // what the model's description says it is not right in (model.h); "": nothing
  Phase phase = Phase::decode;
  std::int64_t context = 0;  // tokens cached before the step
  std::int64_t tokens = 1;   // new tokens of one request: 1 in decode, the prompt in prefill
  std::int64_t batch = 1;    // requests
  Format kv_format = Format::F16;
  std::int64_t positions = 0;  // that the model was made for; 0: not known. No shape depends on it.

  // What must lie in memory at once, whether read or not: every tensor, and the KV cache with the new tokens.
  Bytes resident_weights{0};
  Bytes resident_kv{0};

  std::vector<Operator> operators;
};

// "gemma-4-e2b is a stand-in: ..."; "" if the trace's model is none.
std::string stand_in_note(const Trace& trace);

// What a step must read: its weights, the rows of products that no operator makes, and cached keys and values.
Bytes requested_read(const Trace& trace);
Bytes weights_read(const Trace& trace);
Bytes inputs_read(const Trace& trace);
Bytes requested_write(const Trace& trace);
Macs total_macs(const Trace& trace);

}  // namespace edgenpu::workload
