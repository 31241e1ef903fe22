// The shape of a language model: what its traces, its GGUF tensors and their mixtures depend on, and nothing
// about its weights. Read from models/NAME.yaml (NAME: the model's name in lower case).
//
// Modelled: decoder-only transformers of the llama family (pre-norm, optionally post-norms; grouped-query
// attention; gated or plain feed-forward; mixtures of equal experts, with a part that every token uses and
// dense layers among them; sliding windows; heads of global layers; short convolutions (LFM2); layers that
// read the cache of earlier ones; attention and feed-forward in parallel). Left out: encoders, recurrent
// layers, scalar factors on embeddings and logits. A file that has something else in their place says so in
// `stand_in`. Errors: InputError with every finding of the file at its position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "workload/operator.h"

namespace edgenpu::config {
class Value;
}  // namespace edgenpu::config

namespace edgenpu::workload {

struct RopeScaling {
  enum class Kind { none, linear, llama3, longrope };
  Kind kind = Kind::none;
  double factor = 1;                  // linear, llama3
  double low = 0, high = 0;           // llama3: wavelengths, in units of the original context
  std::int64_t original_context = 0;  // llama3
};

struct RopeShape {
  // Which elements of a head turn together, as the GGUF stores its rows: neighbours (2j, 2j+1), or halves
  // (j, j + dim/2).
  enum class Pairing { norm, neox };
  Pairing pairing = Pairing::norm;
  std::int64_t dim = 0;  // elements of a head that turn; the rest pass
  double theta = 0;
  double theta_local = 0;  // of sliding-window layers
  RopeScaling scaling;
};

struct SlidingWindow {
  std::int64_t size = 0;          // keys that a query of a local layer sees, its own included
  std::int64_t global_every = 0;  // each n-th layer is global; 0: none is
  // The global layers, where no such rule says them.
  std::vector<std::int64_t> global_layers = {};
};

// Heads of layers without a window, where they differ from those of the others (Gemma 4).
struct GlobalHeads {
  std::int64_t kv_heads = 0, head_dim = 0;
  bool keys_are_values = false;  // no projection of values: one serves for both, and both are cached
};

// Layers that mix a token with the two before it instead of attending (LFM2): gates and an input of three
// times the width, a convolution of three taps, and a state of two rows.
struct ShortConv {
  std::vector<std::int64_t> attention_layers;  // the others
};

struct MixtureOfExperts {
  std::int64_t experts = 0, active = 0, expert_ffn = 0;
  bool renormalise_topk = false;
  bool biased = false;                          // router and experts (gpt-oss)
  std::int64_t shared_ffn = 0;                  // a gated feed-forward that every token uses beside them
  bool shared_gate = false;                     // its output is weighted
  std::vector<std::int64_t> dense_layers = {};  // those with a feed-forward of Model::ffn instead
};

struct Model {
  enum class QkNorm { none, per_head, full_width };

  std::string name;  // "Llama-3.1-8B"
  std::string hf_id, gguf_arch;
  std::string stand_in;  // what is not as in the model, and beyond which context; "": nothing

  std::int64_t layers = 0, hidden = 0, ffn = 0, vocab = 0, max_position = 0;
  bool tied_embeddings = false;  // the output head is the embedding table

  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  bool fused_qkv = false, qkv_bias = false, attn_output_bias = false;
  bool attn_sinks = false;  // a score a head that no key has (gpt-oss)
  QkNorm qk_norm = QkNorm::none;
  std::optional<SlidingWindow> window;
  std::optional<GlobalHeads> global_heads;
  std::optional<ShortConv> short_conv;
  std::int64_t shared_cache = 0;  // the last layers, which keep no cache and read that of earlier ones
  std::optional<double> attn_softcap, final_softcap;
  RopeShape rope;

  Activation::Function activation = Activation::Function::silu;
  bool gated_ffn = true, fused_gate_up = false;
  bool parallel_attn_ffn = false;  // both read the same norm and are added to the residual together
  bool ffn_bias = false, head_bias = false;
  std::optional<MixtureOfExperts> moe;

  Norm::Kind norm = Norm::Kind::rms;
  double norm_eps = 0;
  std::int64_t norms_per_layer = 2;  // 1 (parallel), 2 (before each part), 4 (before and after each part)

  // The window of a layer; 0 where it sees everything.
  std::int64_t window_of(std::int64_t layer) const;
  // Heads of a layer's own; the model's where it has none.
  std::int64_t kv_heads_of(std::int64_t layer) const;
  std::int64_t head_dim_of(std::int64_t layer) const;
  bool keys_are_values(std::int64_t layer) const;
  bool attends(std::int64_t layer) const;
  bool has_experts(std::int64_t layer) const;
  bool keeps_cache(std::int64_t layer) const { return layer < layers - shared_cache; }
};

// What a window in the place of attention within chunks (Llama 4) is not right in.
std::string stand_in_of_chunks(std::int64_t chunk);

// As in file names and traces: "llama-3.1-8b".
std::string model_id(const Model& model);

Model read_model(const config::Value& document);
Model load_model(const std::string& path);

// Names in DATA_DIR/models, sorted.
std::vector<std::string> model_names(const std::string& data_dir);

// `name_or_path` is a path if it ends in ".yaml" or there is such a file; else a name, in any case: of a file
// in models/, or of its checkpoint ("Qwen/Qwen3-4B"), also with words for a training that leaves the shape as
// it is ("qwen3-4b-instruct-2507"). `where` is what an unknown name is blamed on; the message lists the known
// names and suggests the nearest.
Model find_model(const std::string& name_or_path, const std::string& data_dir,
                 const Position& where = {"--model", 0, 0});

}  // namespace edgenpu::workload
