// What a GGUF file's architecture fixes about a model beside what the file says: one row a family of
// llama.cpp's. Source: model definitions of llama.cpp (2025).
#pragma once

#include <string>
#include <vector>

#include "workload/gguf.h"
#include "workload/model.h"
#include "workload/operator.h"

namespace edgenpu::workload {

// What a family fixes; the rest is in the file.
struct GgufFamily {
  // What a file of the family calls the norms before attention and feed-forward.
  enum class Norms {
    plain,         // attn_norm, ffn_norm
    post_is_ffn,   // attn_norm, post_attention_norm
    post_only,     // post_attention_norm, post_ffw_norm: they stand behind their part, at the same cost
    embedding_out  // plain, with token_embd_norm for output_norm
  };
  const char* name;
  RopeShape::Pairing pairing;
  Activation::Function activation = Activation::Function::silu;
  bool layer_norm = false, parallel = false;
  std::int64_t window = 0, global_every = 0;  // where the file does not say
  bool windows = true;                        // whether a window in the file applies
  Norms norms = Norms::plain;
};

// The name that a tensor of the family has in the models' own terms (tensors.h).
std::string common_name(const GgufFamily& family, const std::string& name);

// Of the file's general.architecture. Throws InputError for one that is not known, with those that are.
const GgufFamily& gguf_family(const GgufFile& file);

std::vector<std::string> gguf_architectures();

}  // namespace edgenpu::workload
