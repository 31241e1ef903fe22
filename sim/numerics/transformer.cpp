#include "numerics/transformer.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "numerics/functions.h"
#include "numerics/parallel.h"
#include "workload/gguf_split.h"

namespace edgenpu::numerics {
namespace {

workload::GgufFile whole(workload::GgufFile file) {
  workload::refuse_gguf_part(file);
  return file;
}

}  // namespace

LoadedModel::LoadedModel(const std::string& path)
    : file(whole(workload::GgufFile::open(path))),
      architecture(read_architecture(file)),
      weights(load_weights(file, architecture)) {}

Transformer::Transformer(const LoadedModel& model, const Arithmetic& arithmetic, Format kv_format)
    : model_(model), arithmetic_(arithmetic), cache_(model.architecture, kv_format) {}

Rows Transformer::forward(const std::vector<std::int32_t>& tokens) {
  const Architecture& a = model_.architecture;
  Rows x = embed(tokens);
  for (std::int64_t i = 0; i < a.layers; ++i) {
    const Layer& layer = model_.weights.layers[static_cast<std::size_t>(i)];
    Rows normed = x;
    normalise(a.norm, layer.attn_norm, a.norm_eps, normed);
    Rows part = attention(i, normed);
    if (a.parallel) {
      x = (part + feed_forward(layer, normed)) + x;
      continue;
    }
    if (a.post_norms) normalise(a.norm, layer.post_attn_norm, a.norm_eps, part);
    x = part + x;
    normed = x;
    normalise(a.norm, layer.ffn_norm, a.norm_eps, normed);
    part = feed_forward(layer, normed);
    if (a.post_norms) normalise(a.norm, layer.post_ffn_norm, a.norm_eps, part);
    x = part + x;
  }
  position_ += x.rows();
  normalise(a.norm, model_.weights.output_norm, a.norm_eps, x);
  Rows logits = linear(model_.weights.head, x);
  if (a.logit_cap > 0) soft_cap(a.logit_cap, logits.data(), logits.size());
  return logits;
}

Rows Transformer::embed(const std::vector<std::int32_t>& tokens) const {
  const Matrix& table = model_.weights.embedding;
  Rows x(static_cast<Eigen::Index>(tokens.size()), table.columns);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || tokens[i] >= table.rows)
      throw InputError(Position{"--tokens"},
                       fmt::format("token {}: {}; the vocabulary has 0 to {}", i, tokens[i], table.rows - 1));
    decode(table.format, table.row(tokens[i]), table.columns, x.row(static_cast<Eigen::Index>(i)).data());
  }
  if (model_.architecture.embedding_scale != 1.0f) x *= model_.architecture.embedding_scale;
  return x;
}

Rows Transformer::linear(const Linear& l, const Rows& x) const {
  Rows out = arithmetic_.multiply(l.weight, x);
  if (!l.bias.empty()) out.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(l.bias.data(), out.cols());
  return out;
}

const Vector& Transformer::rope_factors() const {
  const Weights& w = model_.weights;
  const bool far = position_ >= model_.architecture.rope.original_context;
  return far && !w.rope_factors_long.empty() ? w.rope_factors_long : w.rope_factors;
}

Rows Transformer::attention(std::int64_t index, const Rows& normed) {
  const Architecture& a = model_.architecture;
  const Layer& layer = model_.weights.layers[static_cast<std::size_t>(index)];
  Rows q = linear(layer.q, normed), k = linear(layer.k, normed);
  const Rows v = linear(layer.v, normed);
  if (a.head_norms || a.full_norms) {
    normalise(a.norm, layer.q_norm, a.norm_eps, q);
    normalise(a.norm, layer.k_norm, a.norm_eps, k);
  }
  rotate(a.rope, a.local(index), rope_factors(), position_, a.head_dim, q);
  rotate(a.rope, a.local(index), rope_factors(), position_, a.head_dim, k);
  if (a.scale_query) q *= a.score_scale;
  cache_.append(index, k, v);
  Rows out(q.rows(), q.cols());
  const std::int64_t work = 2 * q.size() * cache_.length(index);
  parallel(a.kv_heads, work, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t head = begin; head < end; ++head) attend_head(index, head, q, out);
  });
  return linear(layer.output, out);
}

// The query heads that share one KV head, stacked so that its keys and values are decoded once.
void Transformer::attend_head(std::int64_t layer, std::int64_t kv_head, const Rows& q, Rows& out) const {
  const Architecture& a = model_.architecture;
  const std::int64_t group = a.heads / a.kv_heads, tokens = q.rows();
  Rows stacked(group * tokens, a.head_dim);
  for (std::int64_t g = 0; g < group; ++g)
    stacked.middleRows(g * tokens, tokens) = q.middleCols((kv_head * group + g) * a.head_dim, a.head_dim);
  Rows scores = arithmetic_.scores(cache_.keys(layer, kv_head), stacked);
  mask_and_weigh(layer, scores);
  const Rows mixed = arithmetic_.mix(cache_.values(layer, kv_head), scores);
  for (std::int64_t g = 0; g < group; ++g)
    out.middleCols((kv_head * group + g) * a.head_dim, a.head_dim) = mixed.middleRows(g * tokens, tokens);
}

namespace {
// llama.cpp pads the keys of a step to this; it decides how the softmax's sum is grouped.
constexpr std::int64_t kPadding = 32;
}  // namespace

void Transformer::mask_and_weigh(std::int64_t layer, Rows& scores) const {
  const Architecture& a = model_.architecture;
  const std::int64_t tokens = scores.cols() - position_;
  const float scale = a.scale_query ? 1.0f : a.score_scale;
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    float* const row = scores.row(i).data();
    if (a.score_cap > 0) soft_cap(a.score_cap, row, scores.cols());
    const std::int64_t end = position_ + i % tokens + 1;  // keys up to the query's own
    const std::int64_t begin = a.local(layer) ? std::max<std::int64_t>(0, end - a.window) : 0;
    arithmetic_.softmax(row, {begin, end, (scores.cols() + kPadding - 1) / kPadding * kPadding}, scale);
    std::fill(row, row + begin, 0.0f);
    std::fill(row + end, row + scores.cols(), 0.0f);
  }
}

void Transformer::activate(Rows& x) const {
  const bool gelu = model_.architecture.gate == Gate::gelu;
  parallel(x.rows(), x.size() * 16, [&](std::int64_t begin, std::int64_t end) {
    for (Eigen::Index i = begin; i < end; ++i)
      for (Eigen::Index j = 0; j < x.cols(); ++j)
        x(i, j) = gelu ? arithmetic_.gelu(x(i, j)) : arithmetic_.silu(x(i, j));
  });
}

Rows Transformer::gated(const Matrix& gate, const Matrix& up, const Matrix& down, const Rows& x) const {
  Rows h = arithmetic_.multiply(gate, x);
  activate(h);
  h.array() *= arithmetic_.multiply(up, x).array();
  return arithmetic_.multiply(down, h);
}

Rows Transformer::feed_forward(const Layer& layer, const Rows& normed) const {
  if (!layer.experts.empty()) return mixture(layer, normed);
  Rows h;
  if (model_.architecture.gated) {
    h = linear(layer.gate, normed);
    activate(h);
    h.array() *= linear(layer.up, normed).array();
  } else {
    h = linear(layer.up, normed);
    activate(h);
  }
  return linear(layer.down, h);
}

std::int32_t greedy(const Rows& logits, Eigen::Index row) {
  Eigen::Index best = 0;
  for (Eigen::Index i = 1; i < logits.cols(); ++i)
    if (logits(row, i) > logits(row, best)) best = i;
  return static_cast<std::int32_t>(best);
}

}  // namespace edgenpu::numerics
