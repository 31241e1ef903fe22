// A model's shape from the config.json that Hugging Face's transformers write beside its weights.
//
// Known by `model_type`: llama, mistral, mixtral, qwen2, qwen3, qwen3_moe, olmoe, phi (Phi-2), phi3, gemma,
// gemma2, gemma3_text, and gemma3's text part. What a file leaves out has the default of the transformers
// library. The GGUF layout of tensors follows llama.cpp's converter (phi: fused projections). Left out:
// towers for images, scalar factors, and what does not change shapes. Other keys of the file are not read.
// Errors: InputError with positions: a model_type that is not known (with the known ones, and a model YAML as
// the way on), missing or impossible numbers. Source: transformers 4.5x configuration classes.
#pragma once

#include "config/value.h"
#include "workload/model.h"

namespace edgenpu::workload {

Model import_config(const config::Value& document);

}  // namespace edgenpu::workload
