// What a `model_type` of a config.json fixes about a model beside what the file says: one row a class of the
// transformers library (or of a publisher's own code beside a checkpoint), with the numbers that the class
// takes where a file leaves them out. Source: configuration and modelling classes of transformers 4.5x, and
// of the checkpoints named in models/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/model.h"

namespace edgenpu::workload {

struct ConfigType {
  enum Feature : std::uint32_t {
    tied = 1u << 0,          // the head is the embedding, unless the file says otherwise
    qkv_bias = 1u << 1,      // always
    bias_key = 1u << 2,      // `attention_bias`: of queries, keys, values and the output projection
    qkv_bias_key = 1u << 3,  // `attention_bias`: of queries, keys and values
    bias_default = 1u << 4,  // what such a key is where it is missing: true
    mlp_bias_key = 1u << 5,  // `mlp_bias`
    head_norm = 1u << 6,     // a norm of each head of queries and keys
    full_norm = 1u << 7,     // one over all heads
    layer_norm = 1u << 8,    // instead of RMS
    all_bias = 1u << 9,      // of all products, the head included
    parallel = 1u << 10,     // attention beside the feed-forward
    plain_ffn = 1u << 11,    // no gate
    gelu = 1u << 12,
    fused_qkv = 1u << 13,
    fused_gate_up = 1u << 14,
    post_norms = 1u << 15,  // norms after each part as well
    experts = 1u << 16,     // must have them
    may_have_experts = 1u << 17,
    windows = 1u << 18,      // `sliding_window` holds wherever it is
    window_flag = 1u << 19,  // `sliding_window` holds if `use_sliding_window` is true
    short_conv = 1u << 20,
    sinks = 1u << 21,
    global_heads = 1u << 22,  // of Gemma 4
    use_bias_key = 1u << 23,  // `use_bias`: of all products of the layers
    wide_shared = 1u << 24,   // a dense feed-forward of `intermediate_size` beside the experts
    chunks = 1u << 25,        // attention within chunks in three layers of four (Llama 4)
  };
  // Where the file has none; 0: it must have it (or, of kv_heads and head_dim, it follows from the others).
  struct Defaults {
    std::int64_t vocab = 0, hidden = 0, ffn = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0;
    std::int64_t window = 0, global_every = 0, positions = 1 << 20;
    double rotary = 1;
  };

  const char* model_type;
  const char* gguf_arch;
  RopeShape::Pairing pairing;
  std::uint32_t features = 0;
  Defaults defaults = {};

  bool has(Feature f) const { return (features & f) != 0; }
};

// nullptr if the type is not read.
const ConfigType* config_type(const std::string& model_type);
std::vector<std::string> config_type_names();

// Where a file of this type keeps its language model ("text_config"); "" if it is no wrapper. `fallback` is
// the type of that part where it does not say one.
std::string text_part(const std::string& wrapper_type, std::string& fallback);

}  // namespace edgenpu::workload
