#include "workload/import_config.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "config/reader.h"

namespace edgenpu::workload {
namespace {

using config::MapReader;
using config::Provenance;
using config::Value;

struct Type {
  const char* model_type;
  const char* gguf_arch;
  RopeShape::Pairing pairing;
  bool tied = false, qkv_bias = false;
  Activation::Function activation = Activation::Function::silu;
};

constexpr auto kNorm = RopeShape::Pairing::norm, kNeox = RopeShape::Pairing::neox;
constexpr auto kGelu = Activation::Function::gelu;

constexpr Type kTypes[] = {
    {"llama", "llama", kNorm},
    {"mistral", "llama", kNorm},
    {"mixtral", "llama", kNorm},
    {"qwen2", "qwen2", kNeox, false, true},
    {"qwen3", "qwen3", kNeox},
    {"qwen3_moe", "qwen3moe", kNeox},
    {"olmoe", "olmoe", kNeox},
    {"phi", "phi2", kNeox, false, true, kGelu},
    {"phi3", "phi3", kNeox},
    {"gemma", "gemma", kNeox, true, false, kGelu},
    {"gemma2", "gemma2", kNeox, true, false, kGelu},
    {"gemma3_text", "gemma3", kNeox, true, false, kGelu},
};

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const Type& t : kTypes) names.emplace_back(t.model_type);
  return names;
}

const Type* find_type(const std::string& name) {
  for (const Type& t : kTypes)
    if (name == t.model_type) return &t;
  return nullptr;
}

class ConfigReader {
 public:
  ConfigReader(const Value& document, const Type& type)
      : map_(document), type_(type), r_(document, out_, "the config", Provenance::optional) {}

  Model read() {
    m_.gguf_arch = type_.gguf_arch;
    read_name();
    m_.layers = count("num_hidden_layers", 512);
    m_.hidden = count("hidden_size", 1 << 17);
    m_.vocab = count("vocab_size", 1 << 22);
    m_.ffn = count("intermediate_size", 1 << 20);
    m_.max_position = count("max_position_embeddings", 1 << 30, 1 << 20);
    m_.tied_embeddings = flag("tie_word_embeddings", type_.tied);
    m_.activation = type_.activation;
    read_heads();
    read_family();
    read_rope();
    read_window();
    read_experts();
    out_.throw_if_any();
    return m_;
  }

 private:
  bool is(const char* arch) const { return m_.gguf_arch == arch; }
  bool present(const char* key) const {
    const Value* v = map_.find(key);
    // JSON's null means that the default holds.
    const bool nothing = !v || v->is_null() || (v->is_scalar() && !v->quoted() && v->text().empty());
    return !nothing && v->text() != "null";
  }
  std::int64_t count(const char* key, std::int64_t high, std::int64_t fallback = 0) {
    if (fallback > 0 && !present(key)) return fallback;
    return r_.integer(key, {1, high});
  }
  bool flag(const char* key, bool fallback) { return present(key) ? r_.boolean(key) : fallback; }
  double real(const char* key, double fallback) { return present(key) ? r_.real(key, {0, 1e30}) : fallback; }

  // "meta-llama/Llama-3.1-8B" if the file says so, else the type.
  void read_name() {
    std::string name = present("_name_or_path") ? r_.text("_name_or_path") : "";
    while (!name.empty() && name.back() == '/') name.pop_back();
    const std::size_t slash = name.rfind('/');
    if (slash != std::string::npos) name = name.substr(slash + 1);
    m_.name = name.empty() ? type_.model_type : name;
  }

  void read_heads() {
    m_.heads = count("num_attention_heads", 512);
    m_.kv_heads = count("num_key_value_heads", 512, std::max<std::int64_t>(1, m_.heads));
    const std::int64_t fallback =
        m_.gguf_arch.rfind("gemma", 0) == 0
            ? 256
            : std::max<std::int64_t>(1, m_.hidden / std::max<std::int64_t>(1, m_.heads));
    m_.head_dim = count("head_dim", 512, fallback);
    if (m_.kv_heads < 1 || m_.heads % m_.kv_heads != 0)
      r_.error("num_key_value_heads",
               fmt::format("{} heads cannot share {} KV heads evenly", m_.heads, m_.kv_heads));
    m_.qkv_bias = flag("attention_bias", type_.qkv_bias) || type_.qkv_bias;
    if (!is("phi2") && !is("qwen2") && m_.qkv_bias)
      r_.error("attention_bias",
               "true: biases on the output projection, as this type has them, are not modelled");
  }

  void read_family() {
    const bool phi2 = is("phi2");
    m_.fused_qkv = phi2 || is("phi3");
    m_.fused_gate_up = is("phi3");
    m_.gated_ffn = !phi2;
    m_.parallel_attn_ffn = phi2;
    m_.other_bias = phi2;
    m_.norm = phi2 ? Norm::Kind::layer : Norm::Kind::rms;
    m_.norm_eps = phi2 ? real("layer_norm_eps", 1e-5) : real("rms_norm_eps", 1e-6);
    m_.norms_per_layer = phi2 ? 1 : is("gemma2") || is("gemma3") ? 4 : 2;
    if (is("qwen3") || is("qwen3moe") || is("gemma3")) m_.qk_norm = Model::QkNorm::per_head;
    if (is("olmoe")) m_.qk_norm = Model::QkNorm::full_width;
  }

  void read_rope() {
    m_.rope.pairing = type_.pairing;
    const double part = real("partial_rotary_factor", is("phi2") ? 0.5 : 1.0);
    m_.rope.dim = static_cast<std::int64_t>(static_cast<double>(m_.head_dim) * part);
    if (m_.rope.dim < 2 || m_.rope.dim > m_.head_dim || m_.rope.dim % 2 != 0)
      r_.error("partial_rotary_factor",
               fmt::format("turns {} elements of a head of {}", m_.rope.dim, m_.head_dim));
    m_.rope.theta = real("rope_theta", 10000);
    m_.rope.theta_local = real("rope_local_base_freq", m_.rope.theta);
    if (!present("rope_scaling")) return;
    const Value* scaling = r_.map("rope_scaling");
    if (!scaling) return;
    const Value* type = scaling->find("rope_type") ? scaling->find("rope_type") : scaling->find("type");
    const std::string name = type ? type->text() : "";
    if (name == "llama3") m_.rope.scaling.kind = RopeScaling::Kind::llama3;
    if (name == "linear") m_.rope.scaling.kind = RopeScaling::Kind::linear;
    if (name == "longrope" || name == "su") m_.rope.scaling.kind = RopeScaling::Kind::longrope;
  }

  void read_window() {
    if (is("qwen2") || is("qwen3") || is("qwen3moe")) {
      if (flag("use_sliding_window", false))
        r_.error("use_sliding_window", "true: windows of Qwen models are not modelled");
      return;
    }
    if (!present("sliding_window")) {
      if (is("gemma2")) m_.window = SlidingWindow{4096, 2};
      return;
    }
    std::int64_t every = is("gemma2") ? 2 : is("gemma3") ? 6 : 0;
    if (present("sliding_window_pattern")) every = r_.integer("sliding_window_pattern", {0, 512});
    m_.window = SlidingWindow{count("sliding_window", 1 << 30), every};
  }

  void read_experts() {
    const char* experts = is("llama") ? "num_local_experts" : "num_experts";
    if (!present(experts)) {
      if (is("olmoe") || is("qwen3moe")) r_.error(experts, "is missing");
      return;
    }
    MixtureOfExperts moe;
    moe.experts = count(experts, 1024);
    moe.active = count("num_experts_per_tok", 1024);
    moe.expert_ffn = is("qwen3moe") ? count("moe_intermediate_size", 1 << 20) : m_.ffn;
    moe.renormalise_topk = is("llama") || flag("norm_topk_prob", false);
    if (moe.active > moe.experts)
      r_.error("num_experts_per_tok", fmt::format("{} experts are chosen among {}", moe.active, moe.experts));
    m_.moe = moe;
  }

  const Value& map_;
  const Type& type_;
  Diagnostics out_;
  MapReader r_;
  Model m_;
};

}  // namespace

Model import_config(const Value& document) {
  const Value* type = document.is_map() ? document.find("model_type") : nullptr;
  if (!type)
    throw InputError(document.position(),
                     "'model_type' is missing; a config.json of a language model has it");
  // Gemma 3 with images keeps its language model in a part of its own.
  const Value* text = document.find("text_config");
  if (type->text() == "gemma3" && text && text->is_map())
    return ConfigReader(*text, *find_type("gemma3_text")).read();
  const Type* known = find_type(type->text());
  if (!known)
    throw InputError(
        type->position(),
        fmt::format("model_type '{}' is not known; known: {}{}; the way on: describe its shape in a "
                    "model YAML (models/)",
                    type->text(), join(type_names()), did_you_mean(type->text(), type_names())));
  return ConfigReader(document, *known).read();
}

}  // namespace edgenpu::workload
