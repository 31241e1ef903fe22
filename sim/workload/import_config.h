// A model's shape from the config.json that Hugging Face's transformers write beside its weights.
//
// Known by `model_type` (config_types.h). Of a file that wraps a language model with towers for images or
// sound (Gemma 3, PaliGemma, LLaVA, Mistral 3, Qwen-VL ...) the language model is read. What a file leaves out
// has the default of its class in the transformers library. The GGUF layout of tensors follows llama.cpp's
// converter (phi: fused projections). Every key is read, or known to leave bytes and work as they are, or
// refused with its position: keys that change shapes are never passed over. Left out: towers for images,
// scalar factors, layers that guess further tokens.
//
// config_quant: the mixture (`--quant`) that holds what the file's `quantization_config` says of its weights;
// "" if the file has none. InputError where none of them does: the user has to choose.
//
// Errors: InputError with positions: a model_type that is not read (with the files of models/ that have its
// shape), keys that are missing, impossible, unknown or not modelled. Source: transformers 4.5x configuration
// and modelling classes.
#pragma once

#include <string>

#include "workload/model.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::workload {

// data_dir: where models/ lies, for suggestions.
Model import_config(const config::Value& document, const std::string& data_dir = "");

std::string config_quant(const config::Value& document);

// The same of the hf_quant_config.json that a ModelOpt export has beside its config.json (older ones say nothing of it
// in the latter). Weights that it leaves as they were are F16. Source: the export code of NVIDIA's Model Optimizer and
// vLLM's reader of its files.
std::string modelopt_quant(const config::Value& document);

}  // namespace edgenpu::workload
