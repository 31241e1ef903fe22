// What pruning takes from a model.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/rates.h"
#include "workload/transformer.h"

namespace edgenpu::workload {

using config::MapReader;

namespace {

std::int64_t scaled(std::int64_t n, double part, std::int64_t block) {
  const auto kept = static_cast<std::int64_t>(std::ceil(static_cast<double>(n) * part - 1e-9));
  return std::min(n, ceil_div(std::max<std::int64_t>(1, kept), block) * block);
}

// Matrices whose input is the residual stream.
bool reads_stream(const Tensor& t) {
  const std::string name = stem(t);
  for (const char* reader : {"token_embd", "output", "attn_qkv", "attn_q", "attn_k", "attn_v", "ffn_gate",
                             "ffn_up", "ffn_gate_inp", "ffn_gate_exps", "ffn_up_exps", "ffn_gate_shexp",
                             "ffn_up_shexp", "ffn_gate_inp_shexp"})
    if (name == reader) return true;
  return false;
}

}  // namespace

void Transformer::prune_rows(MapReader& r) {
  refuse_experts(r, "pruning neurons");
  refuse_factors(r);
  const double part = left(r);
  const std::set<int> chosen = layers(r);
  std::map<int, std::pair<std::int64_t, std::int64_t>> widths;  // before and after
  for (StoredTensor& t : s_.tensors) {
    if (stem(t.tensor) != "ffn_down" || !chosen.count(t.tensor.layer)) continue;
    const std::int64_t kept = scaled(t.tensor.row, part, info(t.format).block_elements);
    widths[t.tensor.layer] = {t.tensor.row, kept};
    t.tensor.row = kept;
  }
  for (StoredTensor& t : s_.tensors) {
    const auto width = widths.find(t.tensor.layer);
    if (width == widths.end()) continue;
    const auto [before, after] = width->second;
    const bool vector = ends_with(t.tensor.name, ".bias");
    const std::string name = t.tensor.name.substr(t.tensor.name.find('.', 4) + 1);
    if (name.rfind("ffn_gate.", 0) != 0 && name.rfind("ffn_up.", 0) != 0) continue;
    std::int64_t& n = vector ? t.tensor.row : t.tensor.rows;
    n = n / before * after;  // twice as many where gate and up are one
  }
  m_.ffn = 0;
  for (const StoredTensor& t : s_.tensors)
    if (stem(t.tensor) == "ffn_down") m_.ffn = std::max(m_.ffn, t.tensor.row);
}

void Transformer::prune_columns(MapReader& r) {
  refuse_factors(r);
  refuse_kinds_of_layers(r, "pruning columns");
  if (m_.moe && m_.moe->biased) r.error("kind", "pruning columns of experts with biases is not modelled");
  out_.throw_if_any();
  const double part = left(r);
  const std::int64_t before = m_.hidden;
  std::int64_t block = 1;
  for (const StoredTensor& t : s_.tensors)
    if (reads_stream(t.tensor)) block = std::max<std::int64_t>(block, info(t.format).block_elements);
  const std::int64_t after = scaled(before, part, block);
  for (StoredTensor& t : s_.tensors) {
    const std::string name = stem(t.tensor);
    const bool norm = ends_with(name, "norm") && name.find("attn_q_") != 0 && name.find("attn_k_") != 0;
    if (reads_stream(t.tensor) || norm) set_row(t, after, r, "share");
    if (name.rfind("attn_output", 0) == 0 || name.rfind("ffn_down", 0) == 0) t.tensor.rows = after;
    if (ends_with(t.tensor.name, "norm.bias") || ends_with(t.tensor.name, "attn_output.bias") ||
        ends_with(t.tensor.name, "ffn_down.bias"))
      t.tensor.row = after;
  }
  m_.hidden = after;
}

void Transformer::prune_heads(MapReader& r) {
  refuse_factors(r);
  refuse_kinds_of_layers(r, "pruning heads");
  if (m_.attn_sinks) r.error("kind", "pruning heads with sinks is not modelled");
  out_.throw_if_any();
  const double part = left(r);
  // Layers that keep their heads must say so, since the model's number may change below.
  for (int layer = 0; layer < m_.layers; ++layer) {
    const LayerUse kept = s_.use_of(layer);
    use(layer) = kept;
  }
  for (const int layer : layers(r)) {
    const LayerUse before = s_.use_of(layer);
    const std::int64_t group = before.heads / before.kv_heads;
    std::int64_t kv = scaled(before.kv_heads, part, 1);
    // The output projection's rows must stay whole blocks.
    const Format format = tensor_of(layer, "attn_output").format;
    while (kv < before.kv_heads && kv * group * m_.head_dim % info(format).block_elements != 0) ++kv;
    use(layer).heads = kv * group;
    use(layer).kv_heads = kv;
    resize_heads(layer, before, use(layer));
  }
  m_.heads = m_.kv_heads = 0;
  for (const LayerUse& u : s_.uses) {
    m_.heads = std::max(m_.heads, u.heads);
    m_.kv_heads = std::max(m_.kv_heads, u.kv_heads);
  }
}

void Transformer::resize_heads(int layer, const LayerUse& before, const LayerUse& after) {
  const std::int64_t d = m_.head_dim;
  for (StoredTensor& t : s_.tensors) {
    if (t.tensor.layer != layer) continue;
    const std::string name = t.tensor.name.substr(t.tensor.name.find('.', 4) + 1);
    std::int64_t& n = ends_with(name, ".bias") ? t.tensor.row : t.tensor.rows;
    if (name.rfind("attn_qkv.", 0) == 0) n = (after.heads + 2 * after.kv_heads) * d;
    if (name.rfind("attn_q.", 0) == 0) n = after.heads * d;
    if (name.rfind("attn_k.", 0) == 0 || name.rfind("attn_v.", 0) == 0) n = after.kv_heads * d;
    if (name == "attn_output.weight") t.tensor.row = after.heads * d;
    if (name == "attn_q_norm.weight" && t.tensor.row == before.heads * d) t.tensor.row = after.heads * d;
    if (name == "attn_k_norm.weight" && t.tensor.row == before.kv_heads * d)
      t.tensor.row = after.kv_heads * d;
  }
}

void Transformer::prune_layers(MapReader& r) {
  const std::set<int> gone = layers(r, true);
  if (static_cast<std::int64_t>(gone.size()) == m_.layers) r.error("layers", "no layer would be left");
  refuse_kinds_of_layers(r, "pruning layers");
  if (m_.moe && !m_.moe->dense_layers.empty())
    r.error("kind", "pruning layers of mixtures with dense layers is not modelled");
  if (m_.window && (m_.window->global_every > 0 || !m_.window->global_layers.empty()))
    r.error("kind",
            "the pattern of windows would shift: not modelled for models with local and global layers");
  std::vector<StoredTensor> kept;
  for (StoredTensor t : s_.tensors) {
    if (gone.count(t.tensor.layer)) continue;
    if (t.tensor.layer >= 0) {
      const auto before = std::distance(gone.begin(), gone.lower_bound(t.tensor.layer));
      const std::string rest = t.tensor.name.substr(t.tensor.name.find('.', 4));
      t.tensor.layer -= static_cast<int>(before);
      t.tensor.name = fmt::format("blk.{}{}", t.tensor.layer, rest);
    }
    kept.push_back(t);
  }
  s_.tensors = std::move(kept);
  std::vector<LayerUse> uses;
  for (std::size_t i = 0; i < s_.uses.size(); ++i)
    if (!gone.count(static_cast<int>(i))) uses.push_back(s_.uses[i]);
  s_.uses = std::move(uses);
  m_.layers -= static_cast<std::int64_t>(gone.size());
}

}  // namespace edgenpu::workload
