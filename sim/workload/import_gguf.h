// A model as its GGUF file has it: shapes from the metadata, and every tensor with its own type and bytes.
//
// Modelled: llama (and mistral, mixtral), qwen2, qwen2moe, qwen3, qwen3moe, olmoe, phi2, phi3, gemma, gemma2,
// gemma3, minicpm, granite, smollm3 and chatglm. Experts in one tensor or
// in one each (older Mixtral files); fused projections; heads that differ from layer to layer; tied heads,
// and files that store the head besides. Rope factors are loaded once and not read by a step.
//
// Errors: InputError with the file and what is missing: an unknown architecture (with the known ones, and a
// model YAML as the way on), metadata that are missing or impossible, a tensor that is missing, does not fit
// its neighbours, or that no operator of the family reads (its bytes would go uncounted). Source: model
// definitions and tensor names of llama.cpp (2025).
#pragma once

#include <string>

#include "workload/generate.h"
#include "workload/gguf.h"

namespace edgenpu::workload {

StoredModel import_gguf(const GgufFile& file);
StoredModel import_gguf(const std::string& path);

}  // namespace edgenpu::workload
