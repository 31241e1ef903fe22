#include "numerics/architecture.h"

#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"

namespace edgenpu::numerics {
namespace {

using workload::GgufFile;

// What a family fixes; the rest is in the file.
struct Family {
  const char* name;
  Pairing pairing;
  bool head_norms = false, full_norms = false, renormalise = false, shared_expert = false;
};

constexpr Family kFamilies[] = {
    {"llama", Pairing::neighbours, false, false, true},
    {"qwen2", Pairing::halves},
    {"qwen2moe", Pairing::halves, false, false, false, true},
    {"qwen3", Pairing::halves, true},
    {"qwen3moe", Pairing::halves, true, false, true},
    {"olmoe", Pairing::halves, false, true, false},
    {"phi2", Pairing::halves},
    {"phi3", Pairing::halves, false, false, true},
    {"gemma", Pairing::halves},
    {"gemma2", Pairing::halves},
    {"gemma3", Pairing::halves, true},
};

// Far beyond any model, and small enough that no product of them overflows.
constexpr std::int64_t kMostLayers = 4096, kMostWidth = 1 << 24, kMostHeads = 1 << 16;

class Reader {
 public:
  Reader(const GgufFile& file, const std::string& architecture) : file_(file), prefix_(architecture + ".") {}

  std::int64_t integer(const std::string& key, std::int64_t high, std::int64_t fallback = -1,
                       std::int64_t low = 1) const {
    const auto found = file_.integers(prefix_ + key);
    if (!found && fallback >= 0) return fallback;
    if (!found) file_.refuse(prefix_ + key, "is missing");
    if (found->empty()) file_.refuse(prefix_ + key, "is an empty array");
    for (const std::int64_t v : *found) {
      if (v != found->front())
        file_.refuse(prefix_ + key, "differs from layer to layer, which is not supported");
      if (v < low || v > high)
        file_.refuse(prefix_ + key, fmt::format("{}; {} to {} are allowed", v, low, high));
    }
    return found->front();
  }

  // Not negative. 0 where the key may be missing and is.
  float real(const std::string& key, bool required) const {
    const auto found = file_.real(prefix_ + key);
    if (!found && required) file_.refuse(prefix_ + key, "is missing");
    if (found && !(*found >= 0 && *found < 1e30))
      file_.refuse(prefix_ + key, fmt::format("{}; a finite number that is not negative is allowed", *found));
    return found ? static_cast<float>(*found) : 0.0f;
  }

  bool has(const std::string& key) const { return file_.metadata().count(prefix_ + key) > 0; }
  std::string text(const std::string& key) const { return file_.text(prefix_ + key).value_or(""); }
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const {
    file_.refuse(prefix_ + key, message);
  }

 private:
  const GgufFile& file_;
  std::string prefix_;
};

const Family& find_family(const GgufFile& file) {
  const std::string key = "general.architecture";
  const auto name = file.text(key);
  if (!name) file.refuse(key, "is missing");
  for (const Family& f : kFamilies)
    if (*name == f.name) return f;
  file.refuse(key, fmt::format("'{}' is not known; known: {}{}", *name, join(architecture_names()),
                               did_you_mean(*name, architecture_names())));
}

void read_shape(const Reader& r, Architecture& a) {
  a.layers = r.integer("block_count", kMostLayers);
  a.width = r.integer("embedding_length", kMostWidth);
  a.heads = r.integer("attention.head_count", kMostHeads);
  a.kv_heads = r.integer("attention.head_count_kv", kMostHeads, a.heads);
  if (a.heads % a.kv_heads != 0)
    r.refuse("attention.head_count_kv",
             fmt::format("{} heads cannot share {} KV heads evenly", a.heads, a.kv_heads));
  if (!r.has("attention.key_length") && a.width % a.heads != 0)
    r.refuse("attention.head_count", fmt::format("{} does not divide the width {}", a.heads, a.width));
  a.head_dim = r.integer("attention.key_length", kMostWidth, std::max<std::int64_t>(a.width / a.heads, 1));
  if (r.integer("attention.value_length", kMostWidth, a.head_dim) != a.head_dim)
    r.refuse("attention.value_length", fmt::format("differs from the keys' length, {}", a.head_dim));
  const bool layer_norm = a.name == "phi2";
  a.norm = layer_norm ? NormKind::layer : NormKind::rms;
  a.norm_eps = r.real(layer_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", true);
  a.experts = r.has("expert_count") ? r.integer("expert_count", kMostHeads, 0, 0) : 0;
  if (a.experts > 0) a.active = r.integer("expert_used_count", a.experts);
}

void read_rope(const Reader& r, Architecture& a) {
  Rope& rope = a.rope;
  rope.dims = r.integer("rope.dimension_count", a.head_dim, a.head_dim);
  if (rope.dims % 2 != 0) r.refuse("rope.dimension_count", fmt::format("{} is odd", rope.dims));
  if (r.has("rope.freq_base")) rope.base = r.real("rope.freq_base", true);
  if (!(rope.base > 0)) r.refuse("rope.freq_base", "0 is not allowed");
  const std::string type = r.text("rope.scaling.type");
  if (type == "yarn") r.refuse("rope.scaling.type", "'yarn' is not supported; none, linear, longrope are");
  const float factor =
      r.real(r.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear", false);
  if (factor > 0 && type != "none") rope.scale = 1.0f / factor;
  const float magnitude = r.real("rope.scaling.attn_factor", false);
  if (magnitude > 0) rope.magnitude = magnitude;
  if (r.has("rope.scaling.original_context_length")) {
    rope.original_context = r.integer("rope.scaling.original_context_length", INT64_MAX);
  } else if (r.has("context_length")) {
    rope.original_context = r.integer("context_length", INT64_MAX);
  }
  rope.base_local = rope.base;
  rope.scale_local = rope.scale;
}

void read_window(const Reader& r, Architecture& a, std::int64_t window, std::int64_t global_every) {
  a.window = r.integer("attention.sliding_window", INT64_MAX / 2, window);
  a.global_every = r.integer("attention.sliding_window_pattern", kMostLayers, global_every, 0);
}

// Gemma divides scores by the head's length, its 27B models by width / heads, which is not that.
float gemma_scale(const Architecture& a, std::int64_t layers_of_27b) {
  const std::int64_t length = a.layers == layers_of_27b ? a.width / a.heads : a.head_dim;
  return 1.0f / std::sqrt(static_cast<float>(length));
}

void read_gemma(const Reader& r, Architecture& a) {
  a.gate = Gate::gelu;
  a.embedding_scale = std::sqrt(static_cast<float>(a.width));
  a.scale_query = true;
  if (a.name == "gemma") return;
  a.post_norms = true;
  a.logit_cap = r.real("final_logit_softcapping", false);
  if (a.name == "gemma2") {
    a.score_scale = gemma_scale(a, 46);
    a.score_cap = r.has("attn_logit_softcapping") ? r.real("attn_logit_softcapping", true) : 50.0f;
    if (!r.has("final_logit_softcapping")) a.logit_cap = 30.0f;
    read_window(r, a, 4096, 2);
  } else {
    a.score_scale = gemma_scale(a, 62);
    read_window(r, a, 0, 6);
    a.rope.base_local = r.has("rope.freq_base_swa") ? r.real("rope.freq_base_swa", true) : 10000.0f;
    a.rope.scale_local = 1;
  }
}

}  // namespace

std::vector<std::string> architecture_names() {
  std::vector<std::string> names;
  for (const Family& f : kFamilies) names.emplace_back(f.name);
  return names;
}

Architecture read_architecture(const GgufFile& file) {
  const Family& family = find_family(file);
  Architecture a;
  a.name = family.name;
  a.head_norms = family.head_norms;
  a.full_norms = family.full_norms;
  a.renormalise = family.renormalise;
  a.shared_expert = family.shared_expert;
  const Reader r(file, a.name);
  read_shape(r, a);
  a.rope.pairing = family.pairing;
  read_rope(r, a);
  a.score_scale = 1.0f / std::sqrt(static_cast<float>(a.head_dim));
  if (a.name == "phi2") {
    a.gate = Gate::gelu;
    a.gated = false;
    a.parallel = true;
    a.scale_query = true;
  } else if (a.name == "phi3") {
    a.scale_query = true;
    read_window(r, a, 0, 0);
  } else if (a.name.rfind("gemma", 0) == 0) {
    read_gemma(r, a);
  }
  return a;
}

}  // namespace edgenpu::numerics
