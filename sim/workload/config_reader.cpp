#include "workload/config_reader.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"

namespace edgenpu::workload {
namespace {

using config::Value;
using T = ConfigType;

// Far beyond any model, and small enough that no product of shapes leaves 64 bits (model.cpp).
constexpr std::int64_t kMostLayers = 512, kMostWidth = 1 << 17, kMostFfn = 1 << 20, kMostHeads = 512,
                       kMostHeadDim = 512, kMostVocab = 1 << 22, kMostPositions = 1 << 30;

constexpr const char* kSilu[] = {"silu", "swish", "swiglu"};
constexpr const char* kGelu[] = {"gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"};

template <class List>
bool among(const std::string& word, const List& list) {
  return std::any_of(std::begin(list), std::end(list), [&](const char* w) { return word == w; });
}

}  // namespace

ConfigReader::ConfigReader(const Value& section, const ConfigType& type, const Value* wrapper)
    : wrapper_(wrapper), type_(type), k_(section, fmt::format("model_type '{}'", type.model_type), out_) {}

Model ConfigReader::read() {
  m_.gguf_arch = type_.gguf_arch;
  read_name();
  read_sizes();
  read_heads();
  // What follows divides by them.
  out_.throw_if_any();
  read_tie(wrapper_);
  read_biases();
  read_norms();
  read_feed_forward();
  layer_types_ = layer_types();
  read_rope();
  read_windows();
  read_global_heads();
  read_short_conv();
  read_experts();
  read_other_keys();
  k_.finish();
  out_.throw_if_any();
  return m_;
}

// "meta-llama/Llama-3.1-8B" if the file says so, else the type.
void ConfigReader::read_name() {
  std::string name = k_.text("_name_or_path", "");
  while (!name.empty() && name.back() == '/') name.pop_back();
  const std::size_t slash = name.rfind('/');
  if (slash != std::string::npos) name = name.substr(slash + 1);
  m_.name = name.empty() ? type_.model_type : name;
}

void ConfigReader::read_sizes() {
  const T::Defaults& d = type_.defaults;
  const auto named = [this](std::initializer_list<const char*> names) {
    const std::string found = k_.first(names);
    return found.empty() ? std::string(*names.begin()) : found;
  };
  m_.layers = k_.count(named({"num_hidden_layers", "n_layer", "num_layers"}), kMostLayers, d.layers);
  m_.hidden = k_.count(named({"hidden_size", "n_embd"}), kMostWidth, d.hidden);
  m_.vocab = k_.count(is("chatglm") ? "padded_vocab_size" : "vocab_size", kMostVocab, d.vocab);
  if (is("chatglm")) k_.ignore("vocab_size");
  const std::string ffn = k_.first({"intermediate_size", "ffn_hidden_size", "n_inner"});
  // GPT-2's is four times the width unless it says otherwise.
  m_.ffn = k_.count(ffn.empty() ? "intermediate_size" : ffn, kMostFfn, is("gpt2") ? 4 * m_.hidden : d.ffn);
  m_.max_position =
      k_.count(named({"max_position_embeddings", "n_positions", "seq_length"}), kMostPositions, d.positions);
  if (is("gpt2")) k_.ignore("n_ctx");
}

// A wrapper's word, then the part's own, then the class's.
void ConfigReader::read_tie(const Value* wrapper) {
  const bool own = k_.flag(k_.has("tie_embedding") ? "tie_embedding" : "tie_word_embeddings", has(T::tied));
  m_.tied_embeddings = own;
  if (!wrapper) return;
  ConfigKeys around(*wrapper, "the file", out_);
  m_.tied_embeddings = around.flag("tie_word_embeddings", own);
}

void ConfigReader::read_heads() {
  const T::Defaults& d = type_.defaults;
  const std::string heads = k_.first({"num_attention_heads", "n_head", "num_heads"});
  m_.heads = k_.count(heads.empty() ? "num_attention_heads" : heads, kMostHeads, d.heads);
  std::string kv = "num_key_value_heads";
  if (k_.flag("multi_query_attention", false)) kv = "multi_query_group_num";
  const bool whole = m_.heads > 0;
  // null: as many as heads; a key that is missing leaves the class's own.
  const std::int64_t shared = d.kv_heads > 0 && !k_.names(kv) ? d.kv_heads : m_.heads;
  m_.kv_heads = k_.count(kv, kMostHeads, whole ? shared : 1);
  const std::int64_t even = whole ? std::max<std::int64_t>(1, m_.hidden / m_.heads) : 1;
  const std::string dim = k_.first({"head_dim", "kv_channels", "attention_head_dim"});
  m_.head_dim = k_.count(dim.empty() ? "head_dim" : dim, kMostHeadDim, d.head_dim > 0 ? d.head_dim : even);
  if (whole && (m_.kv_heads < 1 || m_.heads % m_.kv_heads != 0))
    k_.error(kv, fmt::format("{} heads cannot share {} KV heads evenly", m_.heads, m_.kv_heads));
}

void ConfigReader::read_biases() {
  const bool fallback = has(T::bias_default);
  m_.qkv_bias = has(T::qkv_bias);
  m_.attn_output_bias = m_.ffn_bias = m_.head_bias = has(T::all_bias);
  if (has(T::bias_key)) m_.qkv_bias = m_.attn_output_bias = k_.flag("attention_bias", fallback);
  if (has(T::qkv_bias_key)) m_.qkv_bias = k_.flag("attention_bias", fallback);
  if (has(T::use_bias_key)) m_.qkv_bias = m_.attn_output_bias = m_.ffn_bias = k_.flag("use_bias", fallback);
  if (has(T::mlp_bias_key)) m_.ffn_bias = k_.flag("mlp_bias", false);
  if (is("stablelm")) m_.qkv_bias = k_.flag("use_qkv_bias", false);
  if (is("phimoe")) m_.head_bias = k_.flag("lm_head_bias", false);
  if (is("seed_oss")) m_.attn_output_bias = k_.flag("attention_out_bias", false);
  if (is("chatglm")) m_.qkv_bias = k_.flag("add_qkv_bias", false);
  if (is("qwen2_moe")) m_.qkv_bias = k_.flag("qkv_bias", true);
  if (is("internlm3")) {
    m_.qkv_bias = k_.flag("qkv_bias", false);
    m_.attn_output_bias = m_.ffn_bias = k_.flag("bias", false);
  }
}

void ConfigReader::read_norms() {
  m_.norm = has(T::layer_norm) ? Norm::Kind::layer : Norm::Kind::rms;
  const std::string eps = k_.first({"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon",
                                    "layernorm_epsilon", "norm_eps", "norm_epsilon"});
  m_.norm_eps = eps.empty() ? (has(T::layer_norm) ? 1e-5 : 1e-6) : k_.real(eps, 0);
  m_.parallel_attn_ffn = has(T::parallel);
  m_.norms_per_layer = has(T::parallel) ? 1 : has(T::post_norms) ? 4 : 2;
  if (has(T::head_norm)) m_.qk_norm = Model::QkNorm::per_head;
  if (has(T::full_norm)) m_.qk_norm = Model::QkNorm::full_width;
}

void ConfigReader::read_feed_forward() {
  m_.fused_qkv = has(T::fused_qkv);
  m_.gated_ffn = !has(T::plain_ffn);
  m_.fused_gate_up = has(T::fused_gate_up);
  m_.activation = has(T::gelu) ? Activation::Function::gelu : Activation::Function::silu;
  const std::string key = k_.first({"hidden_activation", "hidden_act", "activation_function"});
  if (key.empty()) return;
  const std::string name = k_.text(key, "");
  if (among(name, kSilu))
    m_.activation = Activation::Function::silu;
  else if (among(name, kGelu))
    m_.activation = Activation::Function::gelu;
  else
    k_.error(key, fmt::format("'{}' is not modelled; allowed: silu, swish, gelu, gelu_new, gelu_fast, "
                              "gelu_pytorch_tanh{}",
                              name, did_you_mean(name, {"silu", "gelu"})));
}

void ConfigReader::read_rope() {
  m_.rope.pairing = type_.pairing;
  m_.rope.theta = k_.real("rope_theta", is("gemma3_text") ? 1e6 : 10000);
  m_.rope.theta_local = k_.real("rope_local_base_freq", m_.rope.theta);
  const std::string part = k_.first({"partial_rotary_factor", "rotary_pct", "rope_pct"});
  double turned = part.empty() ? type_.defaults.rotary : k_.real(part, 1);
  if (const Value* parameters = k_.section("rope_parameters")) {
    // One set, or one a kind of layer; a share that only some kinds turn leaves the shape of all.
    const Value* own = parameters->find("full_attention");
    if (const Value* share = parameters->find("partial_rotary_factor"); share && part.empty())
      turned = config::MapReader(*parameters, out_, "the rope parameters", config::Provenance::optional)
                   .real("partial_rotary_factor", {0, 1});
    read_scaling(own && own->is_map() ? *own : *parameters);
  }
  if (const Value* scaling = k_.section("rope_scaling")) read_scaling(*scaling);
  k_.ignore("rotary_emb_base");
  m_.rope.dim = k_.has("rotary_dim") ? k_.count("rotary_dim", kMostHeadDim)
                                     : static_cast<std::int64_t>(static_cast<double>(m_.head_dim) * turned);
  if (m_.rope.dim < 2 || m_.rope.dim > m_.head_dim || m_.rope.dim % 2 != 0)
    k_.error(part.empty() ? "rotary_dim" : part,
             fmt::format("turns {} elements of a head of {}", m_.rope.dim, m_.head_dim));
}

void ConfigReader::read_scaling(const Value& scaling) {
  const Value* type = scaling.find("rope_type") ? scaling.find("rope_type") : scaling.find("type");
  const std::string name = type ? type->text() : "default";
  using Kind = RopeScaling::Kind;
  static const std::pair<const char*, Kind> kKinds[] = {
      {"default", Kind::none},      {"dynamic", Kind::none},      {"linear", Kind::linear},
      {"llama3", Kind::llama3},     {"longrope", Kind::longrope}, {"mrope", Kind::none},
      {"proportional", Kind::none}, {"su", Kind::longrope},       {"yarn", Kind::none}};
  for (const auto& [known, kind] : kKinds) {
    if (name != known) continue;
    m_.rope.scaling.kind = kind;
    if (const Value* theta = scaling.find("rope_theta"); theta && !k_.has("rope_theta"))
      m_.rope.theta = config::MapReader(scaling, out_, "the rope parameters", config::Provenance::optional)
                          .real("rope_theta", {0, 1e30});
    return;
  }
  out_.add(type->position(), fmt::format("rope scaling '{}' is not known", name));
}

}  // namespace edgenpu::workload
