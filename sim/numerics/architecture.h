// What a GGUF file's metadata say about how its transformer computes: the numbers and the choices that its
// tensors do not show. One row a family: llama (and mixtral), qwen2, qwen2moe, qwen3, qwen3moe, olmoe, phi2,
// phi3, gemma, gemma2, gemma3.
//
// Left out: YaRN scaling, head counts that differ from layer to layer, keys wider than values (refused).
// Errors: InputError with the file, the key and what is allowed; an unknown architecture lists the known
// ones. Source: model definitions of llama.cpp (2025), which the files are made for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/gguf.h"

namespace edgenpu::numerics {

enum class Pairing { neighbours, halves };  // elements that turn together: (2j, 2j+1), or (j, j + dims/2)
enum class NormKind { rms, layer };
enum class Gate { silu, gelu };

struct Rope {
  Pairing pairing = Pairing::neighbours;
  std::int64_t dims = 0;                      // of a head; the rest pass
  float base = 10000, scale = 1;              // angle = position * scale / base^(2j/dims)
  float base_local = 10000, scale_local = 1;  // of layers with a window
  float magnitude = 1;                        // factor on sine and cosine
  std::int64_t original_context = 0;          // long factors apply above it, short ones up to it
};

struct Architecture {
  std::string name;
  std::int64_t layers = 0, width = 0, heads = 0, kv_heads = 0, head_dim = 0;
  NormKind norm = NormKind::rms;
  float norm_eps = 0;
  Rope rope;
  float score_scale = 1;     // on scores: 1 / sqrt(head_dim) mostly
  bool scale_query = false;  // apply it to the query before the product instead of to the scores
  float embedding_scale = 1;
  float score_cap = 0, logit_cap = 0;  // cap * tanh(x / cap); 0: none
  std::int64_t window = 0;             // keys that a query sees, its own included; 0: all
  std::int64_t global_every = 0;       // each n-th layer has no window; 0: all layers have it
  Gate gate = Gate::silu;
  bool gated = true;        // false: a plain feed-forward without gate
  bool parallel = false;    // attention and feed-forward read the same norm
  bool head_norms = false;  // queries and keys are normalised per head
  bool full_norms = false;  // ... over all heads together
  bool post_norms = false;  // each part's result is normalised before it is added
  std::int64_t experts = 0, active = 0;
  bool renormalise = false;  // the chosen experts' weights sum to 1
  bool shared_expert = false;

  bool local(std::int64_t layer) const {
    return window > 0 && (global_every == 0 || (layer + 1) % global_every != 0);
  }
};

Architecture read_architecture(const workload::GgufFile& file);

std::vector<std::string> architecture_names();

}  // namespace edgenpu::numerics
