#include "workload/import_gguf.h"

#include <algorithm>
#include <fmt/format.h>

#include "vocabulary/mixtures.h"
#include "workload/gguf_cursor.h"
#include "workload/gguf_family.h"
#include "workload/gguf_split.h"
#include "workload/step_builder.h"
#include "workload/stored_tensors.h"

namespace edgenpu::workload {
namespace {

// Far beyond any model, and small enough that no product of shapes leaves 64 bits (model.cpp).
constexpr std::int64_t kMostLayers = 512, kMostWidth = 1 << 17, kMostHeads = 512, kMostHeadDim = 512,
                       kMostExperts = 1024, kMostPositions = 1 << 30, kMostVocab = 1 << 22;

class Importer {
 public:
  explicit Importer(const std::vector<GgufFile>& parts)
      : parts_(parts), file_(parts.front()), family_(gguf_family(file_)) {
    prefix_ = std::string(family_.name) + ".";
  }

  StoredModel read() {
    stored_.source = file_.source();
    for (const GgufFile& part : parts_)
      for (StoredTensor& t : stored_tensors(part)) {
        t.tensor.name = common_name(family_, t.tensor.name);
        stored_.tensors.push_back(std::move(t));
      }
    if (stored_.tensors.empty()) fail("holds no tensors: a vocabulary without a model");
    for (const StoredTensor& t : stored_.tensors) index_[t.tensor.name] = &t;
    read_names();
    read_shape();
    read_heads();
    read_ffn();
    read_rope();
    read_window();
    check_use();
    return std::move(stored_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(Position{file_.source()}, message);
  }

  // One value, or one for each layer.
  std::vector<std::int64_t> numbers(const std::string& key, std::int64_t low, std::int64_t high,
                                    std::int64_t fallback = -1) const {
    const auto found = file_.integers(prefix_ + key);
    if (!found && fallback >= 0) return {fallback};
    if (!found) file_.refuse(prefix_ + key, "is missing");
    if (found->empty()) file_.refuse(prefix_ + key, "is an empty array");
    for (const std::int64_t v : *found)
      if (v < low || v > high)
        file_.refuse(prefix_ + key, fmt::format("{}; {} to {} are allowed", v, low, high));
    return *found;
  }
  std::int64_t number(const std::string& key, std::int64_t low, std::int64_t high,
                      std::int64_t fallback = -1) const {
    return numbers(key, low, high, fallback).front();
  }
  bool has(const std::string& key) const { return file_.metadata().count(prefix_ + key) > 0; }

  void read_names() {
    Model& m = stored_.model;
    m.gguf_arch = family_.name;
    m.name = file_.text("general.name").value_or(family_.name);
    std::replace(m.name.begin(), m.name.end(), ' ', '-');
    stored_.quant = "as stored";
    const auto type = file_.integer("general.file_type");
    if (const char* name = type ? vocabulary::file_type_name(*type) : nullptr) stored_.quant = name;
  }

  void read_shape() {
    Model& m = stored_.model;
    m.layers = number("block_count", 1, kMostLayers);
    m.hidden = number("embedding_length", 1, kMostWidth);
    m.max_position = number("context_length", 1, kMostPositions, kMostPositions);
    const StoredTensor* embedding = find("token_embd.weight");
    if (!embedding) fail("tensor 'token_embd.weight' is missing");
    m.vocab = embedding->tensor.rows;
    if (m.vocab > kMostVocab)
      fail(fmt::format("tensor 'token_embd.weight' has {} rows; at most {}", m.vocab, kMostVocab));
    m.tied_embeddings = !find("output.weight");
    m.norm = family_.layer_norm ? Norm::Kind::layer : Norm::Kind::rms;
    m.parallel_attn_ffn = family_.parallel;
    m.norms_per_layer = family_.parallel ? 1 : find("blk.0.post_attention_norm.weight") ? 4 : 2;
    m.activation = family_.activation;
    // Tensors of layers beyond the last would be read by nobody.
    for (const StoredTensor& t : stored_.tensors)
      if (t.tensor.layer >= m.layers)
        fail(fmt::format("tensor {} belongs to layer {}; the file says {} layers", in_quotes(t.tensor.name),
                         t.tensor.layer, m.layers));
  }

  void read_heads() {
    Model& m = stored_.model;
    const auto heads = per_layer("attention.head_count", numbers("attention.head_count", 1, kMostHeads));
    const bool short_conv = std::any_of(stored_.tensors.begin(), stored_.tensors.end(), [](const auto& t) {
      return t.tensor.name.find("shortconv.") != std::string::npos;
    });
    auto kv = has("attention.head_count_kv")
                  ? per_layer("attention.head_count_kv",
                              numbers("attention.head_count_kv", short_conv ? 0 : 1, kMostHeads))
                  : heads;
    if (short_conv) read_short_conv(kv);
    m.heads = *std::max_element(heads.begin(), heads.end());
    m.kv_heads = *std::max_element(kv.begin(), kv.end());
    if (!has("attention.key_length") && m.hidden % m.heads != 0)
      file_.refuse(prefix_ + "attention.head_count",
                   fmt::format("{} does not divide the width {}", m.heads, m.hidden));
    m.head_dim =
        number("attention.key_length", 1, kMostHeadDim, std::max<std::int64_t>(1, m.hidden / m.heads));
    if (m.head_dim > kMostHeadDim)
      file_.refuse(prefix_ + "attention.head_count",
                   fmt::format("heads of {} elements; at most {}", m.head_dim, kMostHeadDim));
    if (number("attention.value_length", 1, kMostHeadDim, m.head_dim) != m.head_dim)
      file_.refuse(prefix_ + "attention.value_length",
                   fmt::format("differs from the keys' length, {}, which is not modelled", m.head_dim));
    bool differ = false;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (heads[i] % kv[i] != 0)
        file_.refuse(prefix_ + "attention.head_count_kv",
                     fmt::format("{} heads cannot share {} KV heads evenly", heads[i], kv[i]));
      differ = differ || heads[i] != m.heads || kv[i] != m.kv_heads;
    }
    m.fused_qkv = find("blk.0.attn_qkv.weight") != nullptr;
    m.qkv_bias = find("blk.0.attn_q.bias") || find("blk.0.attn_qkv.bias");
    m.attn_output_bias = find("blk.0.attn_output.bias") != nullptr;
    m.ffn_bias = find("blk.0.ffn_down.bias") != nullptr;
    m.head_bias = find("output.bias") != nullptr;
    const std::int64_t attends =
        m.short_conv && !m.short_conv->attention_layers.empty() ? m.short_conv->attention_layers.front() : 0;
    if (const StoredTensor* norm = find(fmt::format("blk.{}.attn_q_norm.weight", attends)))
      m.qk_norm = norm->tensor.row == m.head_dim ? Model::QkNorm::per_head : Model::QkNorm::full_width;
    if (!differ) return;
    stored_.uses.resize(heads.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
      stored_.uses[i].heads = heads[i];
      stored_.uses[i].kv_heads = kv[i];
    }
  }

  // A layer without KV heads has a convolution; its number is made that of the others.
  void read_short_conv(std::vector<std::int64_t>& kv) {
    const std::int64_t most = *std::max_element(kv.begin(), kv.end());
    ShortConv conv;
    for (std::size_t i = 0; i < kv.size(); ++i) {
      if (find(fmt::format("blk.{}.attn_q.weight", i)))
        conv.attention_layers.push_back(static_cast<std::int64_t>(i));
      else
        kv[i] = most;
      if (kv[i] == 0)
        file_.refuse(prefix_ + "attention.head_count_kv", fmt::format("0 for layer {}, which attends", i));
    }
    if (number("shortconv.l_cache", 1, 1024, 3) != 3)
      file_.refuse(prefix_ + "shortconv.l_cache", "convolutions of another length than 3 are not modelled");
    stored_.model.short_conv = conv;
  }

  std::vector<std::int64_t> per_layer(const std::string& key, std::vector<std::int64_t> values) const {
    const auto layers = static_cast<std::size_t>(stored_.model.layers);
    if (values.size() == 1) values.resize(layers, values.front());
    if (values.size() != layers)
      file_.refuse(prefix_ + key, fmt::format("has {} items for {} layers", values.size(), layers));
    return values;
  }

  void read_ffn() {
    Model& m = stored_.model;
    if (const StoredTensor* down = find("blk.0.ffn_down.weight")) m.ffn = down->tensor.row;
    const StoredTensor* up = find("blk.0.ffn_up.weight");
    const bool gate = find("blk.0.ffn_gate.weight") || find("blk.0.ffn_gate_exps.weight");
    m.fused_gate_up = !gate && up && up->tensor.rows == 2 * m.ffn;
    m.gated_ffn = gate || m.fused_gate_up;
    if (!has("expert_count") || number("expert_count", 0, kMostExperts) == 0) return;
    MixtureOfExperts moe;
    moe.experts = number("expert_count", 2, kMostExperts);
    moe.active = number("expert_used_count", 1, moe.experts);
    const std::string down = ".ffn_down_exps.weight";
    for (const StoredTensor& t : stored_.tensors)
      if (const std::string& name = t.tensor.name;
          name.size() >= down.size() && name.compare(name.size() - down.size(), down.size(), down) == 0)
        moe.expert_ffn = t.tensor.row;
    m.moe = moe;
    if (m.ffn == 0) m.ffn = moe.expert_ffn;
  }

  void read_rope() {
    Model& m = stored_.model;
    m.rope.pairing = family_.pairing;
    m.rope.dim = number("rope.dimension_count", 1, m.head_dim, m.head_dim);
    const std::optional<double> theta = file_.real(prefix_ + "rope.freq_base");
    m.rope.theta = m.rope.theta_local = theta.value_or(10000);
    if (find("rope_freqs.weight")) m.rope.scaling.kind = RopeScaling::Kind::llama3;
    if (find("rope_factors_long.weight")) m.rope.scaling.kind = RopeScaling::Kind::longrope;
  }

  void read_window() {
    if (!family_.windows) return;
    const std::string key = "attention.sliding_window";
    const std::int64_t size = number(key, 0, kMostPositions, family_.window);
    if (size == 0) return;
    stored_.model.window = SlidingWindow{size, pattern()};
    if (stored_.model.gguf_arch == "llama4") stored_.model.stand_in = stand_in_of_chunks(size);
  }

  // Each n-th layer is global. A flag for each layer (true: it has the window) must follow such a rule.
  std::int64_t pattern() const {
    const std::string key = "attention.sliding_window_pattern";
    const std::vector<std::int64_t> found = numbers(key, 0, kMostLayers, family_.global_every);
    const auto layers = static_cast<std::size_t>(stored_.model.layers);
    if (found.size() == 1) return found.front();
    if (found.size() != layers)
      file_.refuse(prefix_ + key, fmt::format("has {} items for {} layers", found.size(), layers));
    const auto first = std::find(found.begin(), found.end(), 0);
    const std::int64_t every = first == found.end() ? 0 : first - found.begin() + 1;
    for (std::size_t i = 0; i < layers; ++i) {
      const bool global = every != 0 && (static_cast<std::int64_t>(i) + 1) % every == 0;
      if (global != (found[i] == 0))
        file_.refuse(prefix_ + key,
                     fmt::format("layer {} breaks the rule that each {}th layer is global", i, every));
    }
    return every;
  }

  const StoredTensor* find(const std::string& name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? nullptr : it->second;
  }

  // A step reads every tensor but rope factors, positions and what an untied embedding leaves.
  void check_use() {
    StepBuilder builder(stored_, {1, 1, 0, Format::F16});
    builder.build();
    for (const StoredTensor& t : stored_.tensors) {
      const std::string& name = t.tensor.name;
      // Of a table of positions a token reads its row.
      if (name.find("rope_freqs") != std::string::npos || name.find("rope_factors") != std::string::npos ||
          name == "position_embd.weight")
        continue;
      if (!builder.used().count(name))
        fail(fmt::format(
            "tensor {} is read by no operator of a {} model; its bytes would go uncounted. The way "
            "on: describe the shape in a model YAML (models/) and give --quant",
            in_quotes(name), family_.name));
    }
  }

  const std::vector<GgufFile>& parts_;
  const GgufFile& file_;  // the first part, with the metadata
  const GgufFamily& family_;
  std::string prefix_;
  StoredModel stored_;
  std::map<std::string, const StoredTensor*> index_;
};

}  // namespace

StoredModel import_gguf(const GgufFile& file) {
  refuse_gguf_part(file);
  const std::vector<GgufFile> parts = {file};
  return Importer(parts).read();
}

StoredModel import_gguf(const std::string& path) {
  const std::vector<GgufFile> parts = open_gguf_parts(path);
  return Importer(parts).read();
}

}  // namespace edgenpu::workload
