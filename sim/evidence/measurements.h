// Published measurements as YAML: a list of rows. `validate` reads the shipped file and any other of the same
// format.
//
//   - id: NAME                     unique
//     device: TEXT, device_class: cpu|gpu|npu, chip: TEXT
//     memory: {type: TEXT, peak_GBps: N, peak_basis: TEXT}
//     tdp_or_power_mode_W: TEXT    a power mode's name or watts
//     model: TEXT, params_B: N, quant: TEXT, runtime: TEXT, threads: N
//     prompt_tokens: N, gen_tokens: N, context: N, batch: N
//     decode_tok_s: N, prefill_tok_s: N, ttft_ms: N, power_W: N, energy_J_per_token: N
//     power_scope: TEXT, source: TEXT, confidence: TEXT, exclude_reason: TEXT, note: TEXT, ...
//
// `null` is the same as a missing key. Errors (InputError, all findings of the file): no list, a row that is
// no map, missing id, device or model, a number that is none or not positive, an id used twice, a row without
// any figure, a key that looks like a misspelt one. Keys of other names are reported as notes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace edgenpu::evidence {

// What llama-bench says of a test beside its shape (evidence/llama_bench.h): held against the hardware and the
// model that the test is simulated on (evidence/bench_check.h).
struct BenchFacts {
  std::string backends, architecture;  // "CUDA", "qwen3"
  bool named = false;                  // the file's name says which model it is
  std::optional<std::int64_t> gpu_layers, flash_attention, parameters, file_bytes;
};

struct Measurement {
  Position position;
  std::string id, device, device_class, chip, memory_type, power_mode, model, quant, runtime;
  std::string power_scope, source, confidence, exclude_reason;
  std::optional<double> peak_GBps, params_B;
  std::optional<std::int64_t> threads, prompt, generated, context;
  std::int64_t batch = 1;
  std::int64_t depth = 0;               // tokens in the cache before the prompt
  std::optional<std::int64_t> at_once;  // tokens of a prompt that go through the model together; default: all
  std::string kv = "f16";               // format of the cache
  std::string left_out;                 // why the row cannot be compared, whatever the hardware; "": it can
  std::optional<BenchFacts> bench;
  std::vector<std::string> row_notes;  // what was assumed in reading it
  std::optional<double> decode_tok_s, prefill_tok_s, ttft_ms, energy_J_per_token;
};

struct Measurements {
  std::string file;
  std::vector<Measurement> rows;
  std::vector<std::string> notes;
};

Measurements read_measurements(const std::string& path);

}  // namespace edgenpu::evidence
