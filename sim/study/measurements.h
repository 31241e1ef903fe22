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

namespace edgenpu::study {

struct Measurement {
  Position position;
  std::string id, device, device_class, chip, memory_type, power_mode, model, quant, runtime;
  std::string power_scope, source, confidence, exclude_reason;
  std::optional<double> peak_GBps, params_B;
  std::optional<std::int64_t> threads, prompt, generated, context;
  std::int64_t batch = 1;
  std::optional<double> decode_tok_s, prefill_tok_s, ttft_ms, energy_J_per_token;
};

struct Measurements {
  std::string file;
  std::vector<Measurement> rows;
  std::vector<std::string> notes;
};

Measurements read_measurements(const std::string& path);

// llama.cpp's `llama-bench -o json`: a list of tests (n_prompt or n_gen, avg_ts, model_type or
// model_filename, backends, n_threads, n_depth). One row a test. `device` names the user's board.
Measurements read_llama_bench(const std::string& path, const std::string& device);

}  // namespace edgenpu::study
