#include "workload/tensors.h"

namespace edgenpu::workload {
namespace {

class TensorList {
 public:
  explicit TensorList(const Model& model) : model_(model) {}

  std::vector<Tensor> build() {
    matrix("token_embd", Role::token_embd, model_.hidden, model_.vocab);
    for (layer_ = 0; layer_ < model_.layers; ++layer_) add_layer();
    layer_ = -1;
    norm("output_norm", model_.hidden);
    if (!model_.tied_embeddings) {
      matrix("output", Role::output, model_.hidden, model_.vocab);
      if (model_.head_bias) vector("output.bias", model_.vocab);
    }
    add_rope_factors();
    return std::move(list_);
  }

 private:
  std::string prefix() const { return layer_ < 0 ? "" : "blk." + std::to_string(layer_) + "."; }

  void matrix(const std::string& stem, Role role, std::int64_t row, std::int64_t rows,
              std::int64_t matrices = 1) {
    list_.push_back({prefix() + stem + ".weight", layer_, role, row, rows, matrices});
  }

  void vector(const std::string& name, std::int64_t elements) {
    list_.push_back({prefix() + name, layer_, Role::unquantised, elements, 1, 1});
  }

  void norm(const std::string& stem, std::int64_t width) {
    vector(stem + ".weight", width);
    if (model_.norm == Norm::Kind::layer) vector(stem + ".bias", width);
  }

  void biased(const std::string& stem, Role role, std::int64_t row, std::int64_t rows, bool bias) {
    matrix(stem, role, row, rows);
    if (bias) vector(stem + ".bias", rows);
  }

  void add_layer() {
    norm("attn_norm", model_.hidden);
    if (model_.attends(layer_))
      add_attention();
    else
      add_short_conv();
    if (model_.norms_per_layer == 4) norm("post_attention_norm", model_.hidden);
    if (model_.norms_per_layer >= 2) norm("ffn_norm", model_.hidden);
    if (model_.has_experts(layer_))
      add_experts();
    else
      add_ffn();
    if (model_.norms_per_layer == 4) norm("post_ffw_norm", model_.hidden);
  }

  void add_attention() {
    const std::int64_t head_dim = model_.head_dim_of(layer_);
    const std::int64_t q = model_.heads * head_dim, kv = model_.kv_heads_of(layer_) * head_dim;
    if (model_.fused_qkv) {
      biased("attn_qkv", Role::attn_qkv, model_.hidden, q + 2 * kv, model_.qkv_bias);
    } else {
      biased("attn_q", Role::attn_q, model_.hidden, q, model_.qkv_bias);
      biased("attn_k", Role::attn_k, model_.hidden, kv, model_.qkv_bias);
      if (!model_.keys_are_values(layer_)) biased("attn_v", Role::attn_v, model_.hidden, kv, model_.qkv_bias);
    }
    if (model_.qk_norm != Model::QkNorm::none) {
      const bool per_head = model_.qk_norm == Model::QkNorm::per_head;
      vector("attn_q_norm.weight", per_head ? head_dim : q);
      vector("attn_k_norm.weight", per_head ? head_dim : kv);
    }
    if (model_.attn_sinks) vector("attn_sinks.weight", model_.heads);
    biased("attn_output", Role::attn_output, q, model_.hidden, model_.attn_output_bias);
  }

  void add_short_conv() {
    constexpr std::int64_t kTaps = 3;
    matrix("shortconv.in_proj", Role::short_conv, model_.hidden, 3 * model_.hidden);
    matrix("shortconv.conv", Role::unquantised, kTaps, model_.hidden);
    matrix("shortconv.out_proj", Role::short_conv, model_.hidden, model_.hidden);
  }

  void add_ffn() {
    if (model_.gated_ffn && !model_.fused_gate_up)
      biased("ffn_gate", Role::ffn_gate_up, model_.hidden, model_.ffn, model_.ffn_bias);
    biased("ffn_up", Role::ffn_gate_up, model_.hidden, model_.ffn * (model_.fused_gate_up ? 2 : 1),
           model_.ffn_bias);
    biased("ffn_down", Role::ffn_down, model_.ffn, model_.hidden, model_.ffn_bias);
  }

  void add_experts() {
    const MixtureOfExperts& moe = *model_.moe;
    biased("ffn_gate_inp", Role::unquantised, model_.hidden, moe.experts, moe.biased);
    experts("ffn_gate_exps", Role::ffn_gate_up, model_.hidden, moe.expert_ffn);
    experts("ffn_up_exps", Role::ffn_gate_up, model_.hidden, moe.expert_ffn);
    experts("ffn_down_exps", Role::ffn_down, moe.expert_ffn, model_.hidden);
    if (moe.shared_ffn == 0) return;
    matrix("ffn_gate_shexp", Role::ffn_gate_up, model_.hidden, moe.shared_ffn);
    matrix("ffn_up_shexp", Role::ffn_gate_up, model_.hidden, moe.shared_ffn);
    matrix("ffn_down_shexp", Role::ffn_down, moe.shared_ffn, model_.hidden);
    if (moe.shared_gate) matrix("ffn_gate_inp_shexp", Role::unquantised, model_.hidden, 1);
  }

  void experts(const std::string& stem, Role role, std::int64_t row, std::int64_t rows) {
    const MixtureOfExperts& moe = *model_.moe;
    matrix(stem, role, row, rows, moe.experts);
    if (moe.biased)
      list_.push_back({prefix() + stem + ".bias", layer_, Role::unquantised, rows, moe.experts, 1});
  }

  // One factor for each turning pair; longrope has a set for short and one for long contexts.
  void add_rope_factors() {
    const std::int64_t pairs = model_.rope.dim / 2;
    if (model_.rope.scaling.kind == RopeScaling::Kind::llama3) vector("rope_freqs.weight", pairs);
    if (model_.rope.scaling.kind != RopeScaling::Kind::longrope) return;
    vector("rope_factors_long.weight", pairs);
    vector("rope_factors_short.weight", pairs);
  }

  const Model& model_;
  std::vector<Tensor> list_;
  int layer_ = -1;
};

}  // namespace

std::vector<Tensor> gguf_tensors(const Model& model) {
  return TensorList(model).build();
}

std::int64_t parameters(const Model& model) {
  std::int64_t sum = 0;
  for (const Tensor& t : gguf_tensors(model))
    if (t.name.rfind("rope_", 0) != 0) sum += t.row * t.rows * t.matrices;
  return sum;
}

}  // namespace edgenpu::workload
