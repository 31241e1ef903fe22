#include "workload/model.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <set>

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

// Numbers of layers, ascending.
std::vector<std::int64_t> read_layers(MapReader& r, const char* key, std::int64_t layers) {
  std::vector<std::int64_t> numbers;
  const config::Value* list = r.list(key, true);
  if (!list) return numbers;
  for (const config::Value& item : list->items()) {
    std::int64_t layer = -1;
    const std::string& text = item.text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layer);
    if (error != std::errc() || end != text.data() + text.size() || layer < 0 || layer >= layers ||
        (!numbers.empty() && layer <= numbers.back()))
      r.diagnostics().add(item.position(), fmt::format("'{}': '{}' is no layer of 0 to {} in ascending order",
                                                       key, text, layers - 1));
    else
      numbers.push_back(layer);
  }
  return numbers;
}

SlidingWindow read_window(const config::Value& map, std::int64_t layers, Diagnostics& out) {
  MapReader r(map, out, "'sliding_window'", Provenance::optional);
  SlidingWindow window{r.integer("size", kPositions), 0};
  if (r.has("global_layers"))
    window.global_layers = read_layers(r, "global_layers", layers);
  else
    window.global_every = r.integer("global_every", {0, kLayers.high});
  if (window.global_every == 1) r.error("global_every", "1 leaves no layer with a window");
  r.finish();
  return window;
}

GlobalHeads read_global_heads(const config::Value& map, Diagnostics& out) {
  MapReader r(map, out, "'global_heads'", Provenance::optional);
  GlobalHeads heads{r.integer("kv_heads", kHeads), r.integer("head_dim", kHeadDim),
                    r.boolean("keys_are_values")};
  r.finish();
  return heads;
}

ShortConv read_short_conv(const config::Value& map, std::int64_t layers, Diagnostics& out) {
  MapReader r(map, out, "'short_conv'", Provenance::optional);
  ShortConv conv{read_layers(r, "attention_layers", layers)};
  if (conv.attention_layers.empty()) r.error("attention_layers", "names no layer");
  r.finish();
  return conv;
}

MixtureOfExperts read_moe(const config::Value& map, std::int64_t layers, Diagnostics& out) {
  MapReader r(map, out, "'moe'", Provenance::optional);
  MixtureOfExperts moe;
  moe.experts = r.integer("experts", {2, kExperts.high});
  moe.active = r.integer("active", kExperts);
  moe.expert_ffn = r.integer("expert_ffn", kFfn);
  moe.renormalise_topk = r.boolean("renormalise_topk");
  moe.biased = r.boolean("biased", false);
  moe.shared_ffn = r.integer("shared_ffn", kFfn, 0);
  moe.shared_gate = r.boolean("shared_gate", false);
  moe.dense_layers = read_layers(r, "dense_layers", layers);
  if (moe.shared_gate && moe.shared_ffn == 0)
    r.error("shared_gate", "there is no shared part: shared_ffn is missing");
  if (moe.active > moe.experts)
    r.error("active", fmt::format("{} experts are chosen among {}", moe.active, moe.experts));
  r.finish();
  return moe;
}

void read_layer_kinds(MapReader& r, Model& m) {
  if (const config::Value* window = r.map("sliding_window", true))
    m.window = read_window(*window, m.layers, r.diagnostics());
  if (const config::Value* heads = r.map("global_heads", true))
    m.global_heads = read_global_heads(*heads, r.diagnostics());
  if (const config::Value* conv = r.map("short_conv", true))
    m.short_conv = read_short_conv(*conv, m.layers, r.diagnostics());
  if (m.global_heads && !m.window) r.error("global_heads", "no layer has a window: all are global");
  if (m.global_heads && m.heads % m.global_heads->kv_heads != 0)
    r.error("global_heads",
            fmt::format("{} heads cannot share {} KV heads evenly", m.heads, m.global_heads->kv_heads));
  if (m.short_conv && m.hidden % m.head_dim != 0)
    r.error("short_conv", fmt::format("the width {} is no multiple of head_dim, {}", m.hidden, m.head_dim));
  if (m.shared_cache >= m.layers) r.error("shared_cache", "no layer would keep a cache");
}

void read_attention(MapReader& r, Model& m) {
  m.heads = r.integer("heads", kHeads);
  m.kv_heads = r.integer("kv_heads", kHeads);
  m.head_dim = r.integer("head_dim", kHeadDim);
  m.fused_qkv = r.boolean("fused_qkv");
  m.qkv_bias = r.boolean("qkv_bias");
  m.attn_sinks = r.boolean("attn_sinks", false);
  m.qk_norm = static_cast<Model::QkNorm>(r.choice("qk_norm", {"none", "per_head", "full_width"}));
  m.shared_cache = r.integer("shared_cache", {1, kLayers.high}, 0);
  read_layer_kinds(r, m);
  if (r.has("attn_softcap")) m.attn_softcap = r.real("attn_softcap", kSoftcap);
  if (const config::Value* rope = r.map("rope")) m.rope = read_rope(*rope, r.diagnostics());
  const config::Value* theta_local = config::find_path(r.value(), "rope.theta_local");
  if (theta_local && !m.window)
    r.diagnostics().add(theta_local->position(),
                        "'theta_local': is of layers with a window, and there is no 'sliding_window'");
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
  // Of the output projection, the feed-forward and the head together.
  const bool other = r.boolean("other_bias");
  m.attn_output_bias = r.boolean("attn_output_bias", other);
  m.head_bias = r.boolean("head_bias", other);
  m.ffn_bias = other;
  if (m.fused_gate_up && !m.gated_ffn)
    r.error("fused_gate_up", "there is no gate to fuse: gated_ffn is false");
  const config::Value* moe = r.map("moe", true);
  if (!moe) return;
  m.moe = read_moe(*moe, m.layers, r.diagnostics());
  if (!m.gated_ffn || m.fused_gate_up || m.ffn_bias || m.parallel_attn_ffn)
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

bool contains(const std::vector<std::int64_t>& sorted, std::int64_t number) {
  return std::binary_search(sorted.begin(), sorted.end(), number);
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string models_dir(const std::string& data_dir) {
  return data_dir + "/models";
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || ends_with(text, ".yaml");
}

// Without the publisher, and without words that name a training of the same shape: "qwen3-4b" of
// "Qwen/Qwen3-4B-Instruct-2507".
std::string plain_name(const std::string& name) {
  static const std::set<std::string> trainings = {"base", "chat",    "hf",      "instruct",
                                                  "it",   "preview", "thinking"};
  std::string kept;
  const std::size_t begin = name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1;
  for (std::size_t at = begin; at < name.size();) {
    const std::size_t end = std::min(name.find('-', at), name.size());
    const std::string word = name.substr(at, end - at);
    at = end + 1;
    // Months as publishers write them: 2507.
    const bool month =
        word.size() == 4 && word[0] == '2' && word.find_first_not_of("0123456789") == std::string::npos;
    if (trainings.count(word) == 0 && !month) kept += (kept.empty() ? "" : "-") + word;
  }
  return kept;
}

// Of the file in models/: by its own name, by that of the checkpoint on Hugging Face (hf_id), or by either
// without the words of its training; "" if there is none.
std::string known_name(const std::string& name, const std::vector<std::string>& names,
                       const std::string& data_dir) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  const std::string plain = plain_name(name);
  if (std::find(names.begin(), names.end(), plain) != names.end()) return plain;
  for (const std::string& known : names) {
    const std::string id = lower_case(load_model(models_dir(data_dir) + "/" + known + ".yaml").hf_id);
    if (!id.empty() && (id == name || plain_name(id) == plain)) return known;
  }
  return "";
}

}  // namespace

std::int64_t Model::window_of(std::int64_t layer) const {
  if (!window) return 0;
  const bool global = (window->global_every != 0 && (layer + 1) % window->global_every == 0) ||
                      contains(window->global_layers, layer);
  return global ? 0 : window->size;
}

std::int64_t Model::kv_heads_of(std::int64_t layer) const {
  return global_heads && window_of(layer) == 0 ? global_heads->kv_heads : kv_heads;
}

std::int64_t Model::head_dim_of(std::int64_t layer) const {
  return global_heads && window_of(layer) == 0 ? global_heads->head_dim : head_dim;
}

bool Model::keys_are_values(std::int64_t layer) const {
  return global_heads && window_of(layer) == 0 && global_heads->keys_are_values;
}

bool Model::attends(std::int64_t layer) const {
  return !short_conv || contains(short_conv->attention_layers, layer);
}

bool Model::has_experts(std::int64_t layer) const {
  return moe && !contains(moe->dense_layers, layer);
}

std::string stand_in_of_chunks(std::int64_t chunk) {
  return fmt::format(
      "beyond {0} tokens three layers in four read the newest {0}, where the model's read what has passed of "
      "a "
      "chunk of {0}: up to twice the bytes of those layers at the start of a chunk, none too many at its end",
      chunk);
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
  m.stand_in = r.text("stand_in", "");
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
  if (is_path(name_or_path) &&
      (ends_with(name_or_path, ".yaml") || kind_of(name_or_path) != PathKind::absent))
    return load_model(name_or_path);
  const std::vector<std::string> names = model_names(data_dir);
  const std::string name = known_name(lower_case(name_or_path), names, data_dir);
  if (!name.empty()) return load_model(models_dir(data_dir) + "/" + name + ".yaml");
  const std::string hint = did_you_mean(plain_name(lower_case(name_or_path)), names);
  throw InputError(
      where, fmt::format("unknown model '{}'{} known in {}: {}", name_or_path, hint.empty() ? ";" : hint,
                         models_dir(data_dir), names.empty() ? "none" : join(names)));
}

}  // namespace edgenpu::workload
