// The tensors of synthetic models, and their GGUF images.
#include "numerics/synthetic_model.h"

#include <numeric>

namespace edgenpu::test {

namespace {

double uniform(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53 * 2 - 1;
}

}  // namespace

void SyntheticModel::add(const std::string& name, std::vector<std::uint64_t> dims, double scale,
                         double center) {
  std::uint64_t state = std::accumulate(
      name.begin(), name.end(), 1469598103934665603ull,
      [](std::uint64_t h, char c) { return (h ^ static_cast<unsigned char>(c)) * 1099511628211ull; });
  Tensor t{name, dims, {}};
  std::uint64_t count = 1;
  for (const std::uint64_t d : dims) count *= d;
  for (std::uint64_t i = 0; i < count; ++i)
    t.values.push_back(static_cast<float>(center + scale * uniform(state)));
  index_[name] = tensors_.size();
  tensors_.push_back(t);
}

void SyntheticModel::add_linear(const std::string& name, int rows, int columns, bool bias) {
  add(name + ".weight", {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)},
      2.5 / std::sqrt(columns));
  if (bias) add(name + ".bias", {static_cast<std::uint64_t>(rows)}, 0.2);
}

void SyntheticModel::add_norm(const std::string& name, int width) {
  add(name + ".weight", {static_cast<std::uint64_t>(width)}, 0.3, 1);
  if (s_.layer_norm) add(name + ".bias", {static_cast<std::uint64_t>(width)}, 0.2);
}

void SyntheticModel::make_layer(const std::string& p) {
  const int q = s_.heads * s_.head_dim, kv = s_.kv_heads * s_.head_dim;
  add_norm(p + "attn_norm", s_.width);
  if (s_.fused_qkv) {
    add_linear(p + "attn_qkv", q + 2 * kv, s_.width, s_.qkv_bias);
  } else {
    add_linear(p + "attn_q", q, s_.width, s_.qkv_bias);
    add_linear(p + "attn_k", kv, s_.width, s_.qkv_bias);
    add_linear(p + "attn_v", kv, s_.width, s_.qkv_bias);
  }
  if (s_.head_norms || s_.full_norms) {
    add_norm(p + "attn_q_norm", s_.full_norms ? q : s_.head_dim);
    add_norm(p + "attn_k_norm", s_.full_norms ? kv : s_.head_dim);
  }
  add_linear(p + "attn_output", s_.width, q, s_.bias);
  if (s_.post_norms) add_norm(p + "post_attention_norm", s_.width);
  if (!s_.parallel) add_norm(p + "ffn_norm", s_.width);
  if (s_.post_norms) add_norm(p + "post_ffw_norm", s_.width);
  if (s_.experts > 0) {
    const auto w = static_cast<std::uint64_t>(s_.width), f = static_cast<std::uint64_t>(s_.ffn),
               e = static_cast<std::uint64_t>(s_.experts);
    add_linear(p + "ffn_gate_inp", s_.experts, s_.width, false);
    for (const char* part : {"gate", "up"})
      add(p + "ffn_" + part + "_exps.weight", {w, f, e}, 2.5 / std::sqrt(s_.width));
    add(p + "ffn_down_exps.weight", {f, w, e}, 2.5 / std::sqrt(s_.ffn));
    if (s_.shared_ffn == 0) return;
    add(p + "ffn_gate_inp_shexp.weight", {w}, 0.3);
    add_linear(p + "ffn_gate_shexp", s_.shared_ffn, s_.width, false);
    add_linear(p + "ffn_up_shexp", s_.shared_ffn, s_.width, false);
    add_linear(p + "ffn_down_shexp", s_.width, s_.shared_ffn, false);
    return;
  }
  if (s_.gated && !s_.fused_gate) add_linear(p + "ffn_gate", s_.ffn, s_.width, s_.bias);
  add_linear(p + "ffn_up", s_.fused_gate ? 2 * s_.ffn : s_.ffn, s_.width, s_.bias);
  add_linear(p + "ffn_down", s_.width, s_.ffn, s_.bias);
}

void SyntheticModel::make_tensors() {
  add("token_embd.weight", {static_cast<std::uint64_t>(s_.width), static_cast<std::uint64_t>(s_.vocab)}, 1);
  for (int i = 0; i < s_.layers; ++i) make_layer(block_prefix(i));
  add_norm("output_norm", s_.width);
  if (!s_.tied) add_linear("output", s_.vocab, s_.width, s_.bias);
  if (s_.rope_factors) add("rope_freqs.weight", {static_cast<std::uint64_t>(s_.rope_dims / 2)}, 0.9, 2);
}

void SyntheticModel::write(const std::string& path,
                           const std::vector<std::pair<std::string, double>>& extra) const {
  GgufImage image;
  const std::string a = s_.arch + ".";
  std::vector<std::pair<std::string, int>> counts = {{"block_count", s_.layers},
                                                     {"embedding_length", s_.width},
                                                     {"attention.head_count", s_.heads},
                                                     {"attention.head_count_kv", s_.kv_heads},
                                                     {"attention.key_length", s_.head_dim},
                                                     {"attention.value_length", s_.head_dim},
                                                     {"feed_forward_length", s_.ffn},
                                                     {"rope.dimension_count", s_.rope_dims}};
  if (s_.experts > 0)
    counts.insert(counts.end(), {{"expert_count", s_.experts}, {"expert_used_count", s_.active}});
  if (s_.window > 0) counts.emplace_back("attention.sliding_window", s_.window);
  image.header(tensors_.size(), 1 + counts.size() + 2 + extra.size());
  image.pair_text("general.architecture", s_.arch);
  for (const auto& [key, value] : counts) image.pair_u32(a + key, static_cast<std::uint32_t>(value));
  image.pair_f32(a + (s_.layer_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"),
                 static_cast<float>(s_.eps));
  image.pair_f32(a + "rope.freq_base", static_cast<float>(s_.theta));
  for (const auto& [key, value] : extra) image.pair_f32(a + key, static_cast<float>(value));
  std::uint64_t offset = 0;
  for (const Tensor& t : tensors_) {
    image.tensor(t.name, t.dims, 0, offset);
    offset += (t.values.size() * 4 + 31) / 32 * 32;
  }
  for (const Tensor& t : tensors_) image.align().raw(t.values.data(), t.values.size() * 4);
  image.align().write(path);
}

}  // namespace edgenpu::test
