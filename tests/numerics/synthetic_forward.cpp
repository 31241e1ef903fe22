// The forward pass over synthetic models.
#include <algorithm>
#include <numeric>

#include "numerics/synthetic_model.h"

namespace edgenpu::test {

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
  const std::string p = block_prefix(layer);
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
      const std::string p = block_prefix(layer);
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
