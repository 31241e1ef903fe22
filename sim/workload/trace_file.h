// Layer traces as YAML files: a header, then one line per operator.
//
//   schema: 1
//   model: llama-3.2-1b
//   ...
//   operators:
//     - {op: matmul, name: blk.0.attn_q, m: 1, n: 2048, k: 2048, format: Q4_K, needs: [blk.0.attn_norm]}
//
// `op` is kind_name(); the other keys are the fields of that operator (operator.h), where a default may be
// left out. An operator belongs to the layer that its name says ("blk.N."), unless `layer` says otherwise;
// `needs` names operators further up; a key `stand_in` of the header carries what the model is not right in. Writing what was read gives the same text, byte for byte, if it was
// written by write_trace. Errors of read_trace: InputError with every finding: unknown, duplicate, missing
// keys; unknown operators and formats; rows that are not whole blocks; names used twice; needs that are
// unknown, later or repeated; shapes whose counts would leave 64 bits.
#pragma once

#include <string>

#include "workload/trace.h"

namespace edgenpu::workload {

std::string write_trace(const Trace& trace);

Trace read_trace(const std::string& path);
Trace parse_trace(const std::string& text, const std::string& source_name);

}  // namespace edgenpu::workload
