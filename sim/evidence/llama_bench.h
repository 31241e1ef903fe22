// Tests of llama.cpp's llama-bench as measurements, one row a test.
//
// A prompt test (pp) is a prefill of n_prompt tokens behind n_depth cached ones, min(n_batch, n_ubatch) of
// them at once (2048 and 512 where the file does not say); a generation test (tg) decodes in the middle of
// n_gen behind n_depth. The file's type decides the format of its weights, not its name. Used besides:
// type_k, type_v, n_threads, cpu_mask, poll, build_number; held against hardware and model
// (evidence/bench_check.h): backends, n_gpu_layers, flash_attn, model_n_params, model_size.
//
// Left out, with the reason in the row: tests of prompt and generation together, caches of two formats or of
// one that is not simulated, models of which a part lies elsewhere (n_cpu_moe, no_kv_offload, devices,
// tensor_split, tensor_buft_overrides, fit_target, low_vram), embeddings, threads that sleep (poll 0) or
// share cores (cpu_mask). Fields that change nothing: irrelevant_bench_fields(). Others become notes.
// Errors: InputError as read_bench_rows, and all faulty fields of the file with their positions.
#pragma once

#include <string>
#include <vector>

#include "evidence/measurements.h"

namespace edgenpu::evidence {

// `device` names the user's board.
Measurements read_llama_bench(const std::string& path, const std::string& device);

// What llama-bench writes, or wrote, and this reader takes.
const std::vector<std::string>& used_bench_fields();
// Of a run on one device: when and with what it was built, how the file was loaded, single samples, what
// places parts that are all in one place, and what the machine is called (--hardware says what it is).
const std::vector<std::string>& irrelevant_bench_fields();

}  // namespace edgenpu::evidence
