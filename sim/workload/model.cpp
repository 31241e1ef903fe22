#include "workload/model.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/files.h"
#include "base/suggest.h"
#include "config/reader.h"

namespace edgenpu::workload {
namespace {

using config::IntRange;
using config::MapReader;
using config::Provenance;
using config::RealRange;

// Far beyond any model, and small enough that no product of shapes leaves 64 bits.
constexpr IntRange kLayers{1, 512}, kWidth{1, 1 << 17}, kFfn{1, 1 << 20}, kVocab{1, 1 << 22}, kHeads{1, 512},
    kHeadDim{1, 512}, kExperts{1, 1024}, kPositions{1, 1 << 30};
constexpr RealRange kTheta{1, 1e12}, kFactor{1, 1e6}, kSoftcap{1e-3, 1e6};

RopeScaling read_scaling(const config::Value& map, Diagnostics& out) {
  MapReader r(map, out, "'scaling'", Provenance::optional);
  RopeScaling s;
  s.kind = static_cast<RopeScaling::Kind>(1 + r.choice("type", {"linear", "llama3", "longrope"}));
  if (s.kind != RopeScaling::Kind::longrope) s.factor = r.real("factor", kFactor);
  if (s.kind == RopeScaling::Kind::llama3) {
    s.low = r.real("low", kFactor);
    s.high = r.real("high", kFactor);
    s.original_context = r.integer("original_context", kPositions);
  }
  r.finish();
  return s;
}

RopeShape read_rope(const config::Value& map, Diagnostics& out) {
  MapReader r(map, out, "'rope'", Provenance::optional);
  RopeShape rope;
  rope.pairing = static_cast<RopeShape::Pairing>(r.choice("pairing", {"norm", "neox"}));
  rope.dim = r.integer("dim", kHeadDim);
  rope.theta = r.real("theta", kTheta);
  rope.theta_local = r.real("theta_local", kTheta, rope.theta);
  if (const config::Value* scaling = r.map("scaling", true)) rope.scaling = read_scaling(*scaling, out);
  if (rope.dim % 2 != 0) r.error("dim", fmt::format("{} is odd; elements turn in pairs", rope.dim));
  r.finish();
  return rope;
}

SlidingWindow read_window(const config::Value& map, Diagnostics& out) {
  MapReader r(map, out, "'sliding_window'", Provenance::optional);
  SlidingWindow window{r.integer("size", kPositions), r.integer("global_every", {0, kLayers.high})};
  r.finish();
  return window;
}

MixtureOfExperts read_moe(const config::Value& map, Diagnostics& out) {
  MapReader r(map, out, "'moe'", Provenance::optional);
  MixtureOfExperts moe;
  moe.experts = r.integer("experts", {2, kExperts.high});
  moe.active = r.integer("active", kExperts);
  moe.expert_ffn = r.integer("expert_ffn", kFfn);
  moe.renormalise_topk = r.boolean("renormalise_topk");
  if (moe.active > moe.experts)
    r.error("active", fmt::format("{} experts are chosen among {}", moe.active, moe.experts));
  r.finish();
  return moe;
}

void read_attention(MapReader& r, Model& m) {
  m.heads = r.integer("heads", kHeads);
  m.kv_heads = r.integer("kv_heads", kHeads);
  m.head_dim = r.integer("head_dim", kHeadDim);
  m.fused_qkv = r.boolean("fused_qkv");
  m.qkv_bias = r.boolean("qkv_bias");
  m.qk_norm = static_cast<Model::QkNorm>(r.choice("qk_norm", {"none", "per_head", "full_width"}));
  if (const config::Value* window = r.map("sliding_window", true))
    m.window = read_window(*window, r.diagnostics());
  if (r.has("attn_softcap")) m.attn_softcap = r.real("attn_softcap", kSoftcap);
  if (const config::Value* rope = r.map("rope")) m.rope = read_rope(*rope, r.diagnostics());
  if (m.heads % m.kv_heads != 0)
    r.error("kv_heads", fmt::format("{} heads cannot share {} KV heads evenly", m.heads, m.kv_heads));
  if (m.rope.dim > m.head_dim)
    r.error("rope", fmt::format("turns {} elements of a head of {}", m.rope.dim, m.head_dim));
}

void read_ffn(MapReader& r, Model& m) {
  m.ffn = r.integer("ffn", kFfn);
  m.activation = static_cast<Activation::Function>(r.choice("activation", {"silu", "gelu_tanh"}));
  m.gated_ffn = r.boolean("gated_ffn");
  m.fused_gate_up = r.boolean("fused_gate_up");
  m.parallel_attn_ffn = r.boolean("parallel_attn_ffn");
  m.other_bias = r.boolean("other_bias");
  if (m.fused_gate_up && !m.gated_ffn)
    r.error("fused_gate_up", "there is no gate to fuse: gated_ffn is false");
  const config::Value* moe = r.map("moe", true);
  if (!moe) return;
  m.moe = read_moe(*moe, r.diagnostics());
  if (!m.gated_ffn || m.fused_gate_up || m.other_bias || m.parallel_attn_ffn)
    r.error("moe",
            "experts with biases, without a gate, with a fused gate or beside attention are not modelled");
}

void read_norms(MapReader& r, Model& m) {
  m.norm = static_cast<Norm::Kind>(r.choice("norm", {"rms", "layer"}));
  m.norm_eps = r.real("norm_eps", {0, 1});
  m.norms_per_layer = r.integer("norms_per_layer", {1, 4});
  if (m.norms_per_layer == 3) r.error("norms_per_layer", "found 3; allowed: 1, 2, 4");
  if (m.parallel_attn_ffn != (m.norms_per_layer == 1))
    r.error("norms_per_layer", "one norm a layer goes with parallel_attn_ffn: true, and only with it");
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string models_dir(const std::string& data_dir) {
  return data_dir + "/models";
}

bool is_path(const std::string& text) {
  const std::string ending = ".yaml";
  return text.find('/') != std::string::npos ||
         (text.size() > ending.size() &&
          text.compare(text.size() - ending.size(), ending.size(), ending) == 0);
}

}  // namespace

std::int64_t Model::window_of(std::int64_t layer) const {
  if (!window) return 0;
  const bool global = window->global_every != 0 && (layer + 1) % window->global_every == 0;
  return global ? 0 : window->size;
}

std::string model_id(const Model& model) {
  return lower_case(model.name);
}

Model read_model(const config::Value& document) {
  Diagnostics out;
  // The numbers of a nested section stand under the file's own source, unless they name another.
  MapReader r(document, out, "the model description", Provenance::required);
  Model m;
  m.name = r.text("name");
  m.hf_id = r.text("hf_id", "");
  m.gguf_arch = r.text("gguf_arch");
  m.layers = r.integer("layers", kLayers);
  m.hidden = r.integer("hidden", kWidth);
  m.vocab = r.integer("vocab", kVocab);
  m.max_position = r.integer("max_position", kPositions);
  m.tied_embeddings = r.boolean("tied_embeddings");
  read_attention(r, m);
  read_ffn(r, m);
  read_norms(r, m);
  if (r.has("final_softcap")) m.final_softcap = r.real("final_softcap", kSoftcap);
  for (const char* optional : {"final_softcap", "attn_softcap"}) r.accept(optional);
  r.finish();
  out.throw_if_any();
  return m;
}

Model load_model(const std::string& path) {
  return read_model(config::parse_file(path));
}

std::vector<std::string> model_names(const std::string& data_dir) {
  return yaml_names(models_dir(data_dir));
}

Model find_model(const std::string& name_or_path, const std::string& data_dir, const Position& where) {
  if (is_path(name_or_path)) return load_model(name_or_path);
  const std::string name = lower_case(name_or_path);
  const std::vector<std::string> names = model_names(data_dir);
  if (std::find(names.begin(), names.end(), name) != names.end())
    return load_model(models_dir(data_dir) + "/" + name + ".yaml");
  const std::string hint = did_you_mean(name, names);
  throw InputError(
      where, fmt::format("unknown model '{}'{} known in {}: {}", name_or_path, hint.empty() ? ";" : hint,
                         models_dir(data_dir), names.empty() ? "none" : join(names)));
}

}  // namespace edgenpu::workload
