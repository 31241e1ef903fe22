// Architectures for which there is no file with llama.cpp's logits: float arithmetic against a float64
// forward pass written apart from it.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

#include "base/error.h"
#include "numerics/run.h"
#include "numerics/synthetic_model.h"

namespace edgenpu::test {

namespace {

double uniform(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53 * 2 - 1;
}

std::string block(int layer) {
  return "blk." + std::to_string(layer) + ".";
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
  for (int i = 0; i < s_.layers; ++i) make_layer(block(i));
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

SyntheticModel::Row SyntheticModel::product(const std::string& name, const Row& x, int rows,
                                            int first) const {
  const Values& w = get(name + ".weight");
  Row out;
  for (int r = first; r < first + rows; ++r) {
    double sum = has(name + ".bias") ? get(name + ".bias")[static_cast<std::size_t>(r)] : 0;
    for (std::size_t c = 0; c < x.size(); ++c) sum += x[c] * w[static_cast<std::size_t>(r) * x.size() + c];
    out.push_back(sum);
  }
  return out;
}

SyntheticModel::Row SyntheticModel::norm(const std::string& name, const Row& x, std::size_t stretch) const {
  const Values& w = get(name + ".weight");
  Row out = x;
  for (std::size_t at = 0; at < x.size(); at += stretch) {
    double mean = 0, square = 0;
    if (s_.layer_norm) {
      for (std::size_t i = 0; i < stretch; ++i) mean += x[at + i] / static_cast<double>(stretch);
    }
    for (std::size_t i = 0; i < stretch; ++i)
      square += (x[at + i] - mean) * (x[at + i] - mean) / static_cast<double>(stretch);
    for (std::size_t i = 0; i < stretch; ++i) {
      out[at + i] = (x[at + i] - mean) / std::sqrt(square + s_.eps) * w[i];
      if (s_.layer_norm) out[at + i] += get(name + ".bias")[i];
    }
  }
  return out;
}

void SyntheticModel::rope(Row& x, int position, bool local) const {
  const int half = s_.rope_dims / 2;
  for (std::size_t head = 0; head < x.size(); head += static_cast<std::size_t>(s_.head_dim))
    for (int j = 0; j < half; ++j) {
      const double factor = s_.rope_factors ? get("rope_freqs.weight")[static_cast<std::size_t>(j)] : 1;
      const double angle = position * (local ? 1 : s_.rope_scale) / factor *
                           std::pow(local ? s_.theta_local : s_.theta, -2.0 * j / s_.rope_dims);
      double& a = x[head + static_cast<std::size_t>(s_.halves ? j : 2 * j)];
      double& b = x[head + static_cast<std::size_t>(s_.halves ? j + half : 2 * j + 1)];
      const double c = std::cos(angle) * s_.magnitude, s = std::sin(angle) * s_.magnitude, a0 = a;
      a = a0 * c - b * s;
      b = a0 * s + b * c;
    }
}

double SyntheticModel::activation(double x) const {
  if (!s_.gelu) return x / (1 + std::exp(-x));
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

SyntheticModel::Row SyntheticModel::attention(int layer, const Row& x, int position, std::vector<Row>& keys,
                                              std::vector<Row>& values) const {
  const std::string p = block(layer);
  const int q_rows = s_.heads * s_.head_dim, kv_rows = s_.kv_heads * s_.head_dim;
  Row q = s_.fused_qkv ? product(p + "attn_qkv", x, q_rows) : product(p + "attn_q", x, q_rows);
  Row k = s_.fused_qkv ? product(p + "attn_qkv", x, kv_rows, q_rows) : product(p + "attn_k", x, kv_rows);
  values.push_back(s_.fused_qkv ? product(p + "attn_qkv", x, kv_rows, q_rows + kv_rows)
                                : product(p + "attn_v", x, kv_rows));
  if (s_.head_norms || s_.full_norms) {
    q = norm(p + "attn_q_norm", q, static_cast<std::size_t>(s_.full_norms ? q_rows : s_.head_dim));
    k = norm(p + "attn_k_norm", k, static_cast<std::size_t>(s_.full_norms ? kv_rows : s_.head_dim));
  }
  const bool local =
      s_.window > 0 && (s_.global_every == 0 || layer % s_.global_every != s_.global_every - 1);
  rope(q, position, local);
  rope(k, position, local);
  keys.push_back(k);
  const int first = local ? std::max(0, position + 1 - s_.window) : 0;
  Row out(static_cast<std::size_t>(q_rows));
  for (int h = 0; h < s_.heads; ++h) {
    const auto at = static_cast<std::size_t>(h * s_.head_dim),
               kv = static_cast<std::size_t>(h / (s_.heads / s_.kv_heads) * s_.head_dim);
    Row weights;
    double sum = 0;
    for (int t = first; t <= position; ++t) {
      double score = 0;
      for (std::size_t d = 0; d < static_cast<std::size_t>(s_.head_dim); ++d)
        score += q[at + d] * keys[static_cast<std::size_t>(t)][kv + d];
      score /= std::sqrt(s_.head_dim);
      if (s_.score_cap > 0) score = s_.score_cap * std::tanh(score / s_.score_cap);
      weights.push_back(std::exp(score));
      sum += weights.back();
    }
    for (int t = first; t <= position; ++t)
      for (std::size_t d = 0; d < static_cast<std::size_t>(s_.head_dim); ++d)
        out[at + d] +=
            weights[static_cast<std::size_t>(t - first)] / sum * values[static_cast<std::size_t>(t)][kv + d];
  }
  return product(p + "attn_output", out, s_.width);
}

SyntheticModel::Row SyntheticModel::expert(const std::string& p, const std::string& suffix, const Row& x,
                                           int ffn, int index) const {
  Row gate = product(p + "ffn_gate" + suffix, x, ffn, index * ffn);
  const Row up = product(p + "ffn_up" + suffix, x, ffn, index * ffn);
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = activation(gate[i]) * up[i];
  return product(p + "ffn_down" + suffix, gate, s_.width, index * s_.width);
}

SyntheticModel::Row SyntheticModel::mlp(const std::string& p, const Row& x) const {
  if (s_.experts == 0) {
    Row h =
        s_.fused_gate || !s_.gated ? product(p + "ffn_up", x, s_.ffn) : product(p + "ffn_gate", x, s_.ffn);
    const Row up =
        s_.fused_gate ? product(p + "ffn_up", x, s_.ffn, s_.ffn) : product(p + "ffn_up", x, s_.ffn);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = activation(h[i]) * (s_.gated ? up[i] : 1);
    return product(p + "ffn_down", h, s_.width);
  }
  Row scores = product(p + "ffn_gate_inp", x, s_.experts), out(x.size());
  double sum = 0, chosen = 0;
  for (double& v : scores) sum += v = std::exp(v);
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  order.resize(static_cast<std::size_t>(s_.active));
  for (const int e : order) chosen += scores[static_cast<std::size_t>(e)];
  for (const int e : order) {
    const Row y = expert(p, "_exps", x, s_.ffn, e);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] += y[i] * scores[static_cast<std::size_t>(e)] / (s_.renormalise ? chosen : sum);
  }
  if (s_.shared_ffn == 0) return out;
  const double gate = 1 / (1 + std::exp(-product(p + "ffn_gate_inp_shexp", x, 1)[0]));
  const Row y = expert(p, "_shexp", x, s_.shared_ffn, 0);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += gate * y[i];
  return out;
}

std::vector<std::vector<double>> SyntheticModel::forward(const std::vector<int>& tokens) const {
  const auto width = static_cast<std::size_t>(s_.width);
  std::vector<std::vector<Row>> keys(static_cast<std::size_t>(s_.layers)), values = keys;
  std::vector<Row> logits;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    Row x;
    for (std::size_t i = 0; i < width; ++i)
      x.push_back(get("token_embd.weight")[static_cast<std::size_t>(tokens[t]) * width + i] *
                  s_.embedding_scale);
    for (int layer = 0; layer < s_.layers; ++layer) {
      const std::string p = block(layer);
      const auto n = static_cast<std::size_t>(layer);
      const Row first = norm(p + "attn_norm", x, width);
      Row part = attention(layer, first, static_cast<int>(t), keys[n], values[n]);
      if (s_.post_norms) part = norm(p + "post_attention_norm", part, width);
      for (std::size_t i = 0; i < width; ++i) x[i] += part[i];
      part = mlp(p, s_.parallel ? first : norm(p + "ffn_norm", x, width));
      if (s_.post_norms) part = norm(p + "post_ffw_norm", part, width);
      for (std::size_t i = 0; i < width; ++i) x[i] += part[i];
    }
    Row out = product(s_.tied ? "token_embd" : "output", norm("output_norm", x, width), s_.vocab);
    if (s_.logit_cap > 0)
      for (double& v : out) v = s_.logit_cap * std::tanh(v / s_.logit_cap);
    logits.push_back(out);
  }
  return logits;
}

}  // namespace edgenpu::test

namespace edgenpu::numerics {
namespace {

using test::Synthetic;
using test::SyntheticModel;

const std::vector<std::int32_t> kTokens = {3, 17, 0, 39, 8, 21, 21, 5, 30, 11, 2, 27};

struct Case {
  std::string name;
  Synthetic shape;
  std::vector<std::pair<std::string, double>> extra;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add = [&](const std::string& name, const std::string& arch, auto change,
                       std::vector<std::pair<std::string, double>> extra = {}) {
    Case c{name, {}, std::move(extra)};
    c.shape.arch = arch;
    change(c.shape);
    list.push_back(c);
  };
  add("llama_with_frequency_factors", "llama", [](Synthetic& s) { s.rope_factors = true; });
  add("llama_with_linear_scaling", "llama", [](Synthetic& s) { s.rope_scale = 0.25; },
      {{"rope.scaling.factor", 4}});
  add("mixtral", "llama", [](Synthetic& s) { s.experts = 6, s.active = 2, s.renormalise = true; });
  add("qwen2", "qwen2", [](Synthetic& s) { s.halves = s.qkv_bias = s.tied = true; });
  add("qwen2moe", "qwen2moe",
      [](Synthetic& s) { s.halves = s.qkv_bias = true, s.experts = 5, s.active = 3, s.shared_ffn = 40; });
  add("qwen3", "qwen3",
      [](Synthetic& s) { s.halves = s.head_norms = s.tied = true, s.head_dim = 24, s.rope_dims = 24; });
  add("qwen3moe", "qwen3moe",
      [](Synthetic& s) { s.halves = s.head_norms = s.renormalise = true, s.experts = 8, s.active = 2; });
  add("olmoe", "olmoe", [](Synthetic& s) { s.halves = s.full_norms = true, s.experts = 8, s.active = 3; });
  const auto phi2 = [](Synthetic& s) {
    s.layer_norm = s.halves = s.gelu = s.parallel = s.bias = s.qkv_bias = true;
    s.gated = false, s.rope_dims = 8, s.kv_heads = 4;
  };
  add("phi2", "phi2", phi2);
  add("phi2_with_fused_qkv", "phi2", [&](Synthetic& s) { phi2(s), s.fused_qkv = true; });
  add("phi3", "phi3", [](Synthetic& s) { s.halves = s.fused_qkv = s.fused_gate = true, s.kv_heads = 4; });
  add("phi3_with_window_and_attention_factor", "phi3",
      [](Synthetic& s) { s.halves = s.fused_qkv = s.fused_gate = true, s.window = 4, s.magnitude = 1.19; },
      {{"rope.scaling.attn_factor", 1.19}});
  add("gemma", "gemma", [](Synthetic& s) { s.halves = s.gelu = s.tied = true, s.embedding_scale = 8; });
  add("gemma2", "gemma2",
      [](Synthetic& s) {
        s.halves = s.gelu = s.tied = s.post_norms = true, s.embedding_scale = 8, s.layers = 3;
        s.window = 5, s.global_every = 2, s.score_cap = 2, s.logit_cap = 3;
      },
      {{"attn_logit_softcapping", 2}, {"final_logit_softcapping", 3}});
  add("gemma3", "gemma3",
      [](Synthetic& s) {
        s.halves = s.gelu = s.tied = s.post_norms = s.head_norms = true, s.embedding_scale = 8, s.layers = 7;
        s.window = 4, s.global_every = 6, s.theta = 1e6, s.rope_scale = 0.125;
      },
      {{"rope.scaling.factor", 8}});
  return list;
}

class Architectures : public ::testing::TestWithParam<Case> {
 protected:
  std::string write() const {
    const std::string path = (std::filesystem::temp_directory_path() /
                              ("edgenpu_" + GetParam().name + "_" + std::to_string(::getpid()) + ".gguf"))
                                 .string();
    SyntheticModel(GetParam().shape).write(path, GetParam().extra);
    return path;
  }
};

INSTANTIATE_TEST_SUITE_P(All, Architectures, ::testing::ValuesIn(cases()),
                         [](const auto& i) { return i.param.name; });

TEST_P(Architectures, GiveTheLogitsOfTheirDefinition) {
  NumericsRequest request;
  request.gguf = write();
  request.tokens = kTokens;
  request.compare = false;
  const auto expected = SyntheticModel(GetParam().shape).forward(kTokens);
  for (const RunMode mode : {RunMode::prefill, RunMode::decode}) {
    request.mode = mode;
    const NumericsResult found = run_numerics(request);
    ASSERT_EQ(found.logits.size(), kTokens.size() * 40);
    double largest = 0;
    for (std::size_t i = 0; i < found.logits.size(); ++i)
      largest = std::max(largest, std::fabs(found.logits[i] - expected[i / 40][i % 40]));
    EXPECT_LT(largest, 1e-4);
  }
  std::filesystem::remove(request.gguf);
}

}  // namespace
}  // namespace edgenpu::numerics
