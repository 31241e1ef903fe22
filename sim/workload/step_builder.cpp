#include "workload/step_builder.h"

#include <algorithm>

namespace edgenpu::workload {

StepBuilder::StepBuilder(const StoredModel& stored, const Step& step)
    : model_(stored.model), step_(step), rows_(step.requests * step.tokens) {
  for (const StoredTensor& t : stored.tensors) tensors_[t.tensor.name] = &t;
}

std::vector<Operator> StepBuilder::build() {
  int x = embed();
  for (layer_ = 0; layer_ < model_.layers; ++layer_)
    x = model_.parallel_attn_ffn ? parallel_layer(x) : layer(x);
  layer_ = -1;
  head(x);
  return std::move(operators_);
}

std::string StepBuilder::prefix() const {
  return layer_ < 0 ? "" : "blk." + std::to_string(layer_) + ".";
}

const StoredTensor* StepBuilder::find(const std::string& name) const {
  const auto it = tensors_.find(prefix() + name);
  return it == tensors_.end() ? nullptr : it->second;
}

const StoredTensor& StepBuilder::tensor(const std::string& name) const {
  if (const StoredTensor* t = find(name)) return *t;
  throw InternalError("the shape of " + model_.name + " needs a tensor " + prefix() + name);
}

Bytes StepBuilder::bias_bytes(const std::string& stem) const {
  const StoredTensor* bias = find(stem + ".bias");
  return bias ? bias->bytes() : Bytes(0);
}

int StepBuilder::add(const std::string& name, std::vector<int> needs, OperatorBody body) {
  operators_.push_back({prefix() + name, layer_, std::move(needs), std::move(body)});
  return static_cast<int>(operators_.size()) - 1;
}

int StepBuilder::embed() {
  return add("token_embd", {}, Embed{rows_, model_.hidden, tensor("token_embd.weight").format});
}

int StepBuilder::norm(const std::string& stem, int input, std::int64_t rows) {
  const Bytes weights = tensor(stem + ".weight").bytes() + bias_bytes(stem);
  return add(stem, {input}, Norm{model_.norm, rows, 1, model_.hidden, weights});
}

// Per head, or over the whole width of all heads.
int StepBuilder::head_norm(const std::string& stem, int input, std::int64_t heads) {
  const StoredTensor& t = tensor(stem + ".weight");
  const bool per_head = model_.qk_norm == Model::QkNorm::per_head;
  return add(stem, {input}, Norm{model_.norm, rows_, per_head ? heads : 1, t.tensor.row, t.bytes()});
}

int StepBuilder::matmul(const std::string& stem, std::vector<int> needs, std::int64_t rows,
                        std::int64_t copies) {
  const StoredTensor& t = tensor(stem + ".weight");
  return add(stem, std::move(needs),
             MatMul{rows, t.tensor.rows, t.tensor.row, t.format, bias_bytes(stem), copies});
}

int StepBuilder::rope(const std::string& name, int input, std::int64_t heads) {
  return add(name, {input}, Rope{rows_, heads, model_.rope.dim});
}

int StepBuilder::sum(const std::string& name, int a, int b) {
  return add(name, {a, b}, Add{rows_, model_.hidden});
}

int StepBuilder::attention(int input) {
  const bool fused = model_.fused_qkv;
  int q = matmul(fused ? "attn_qkv" : "attn_q", {input}, rows_);
  int k = fused ? q : matmul("attn_k", {input}, rows_);
  const int v = fused ? q : matmul("attn_v", {input}, rows_);
  if (model_.qk_norm != Model::QkNorm::none) {
    q = head_norm("attn_q_norm", q, model_.heads);
    k = head_norm("attn_k_norm", k, model_.kv_heads);
  }
  q = rope("rope_q", q, model_.heads);
  k = rope("rope_k", k, model_.kv_heads);
  add("kv_write", {k, v}, KvWrite{rows_, model_.kv_heads, model_.head_dim, step_.kv_format});
  const std::int64_t window = model_.window_of(layer_);
  const std::int64_t cached = window == 0 ? step_.context : std::min(step_.context, window);
  const int mixed = add("attention", {q, k, v},
                        Attention{step_.tokens, model_.heads, model_.kv_heads, model_.head_dim, cached,
                                  window, step_.kv_format, step_.requests});
  return matmul("attn_output", {mixed}, rows_);
}

int StepBuilder::ffn(int input) {
  if (model_.moe) return experts(input);
  std::vector<int> halves;
  if (model_.gated_ffn && !model_.fused_gate_up) halves.push_back(matmul("ffn_gate", {input}, rows_));
  halves.push_back(matmul("ffn_up", {input}, rows_));
  const int active =
      add("ffn_act", halves, Activation{model_.activation, rows_, model_.ffn, model_.gated_ffn});
  return matmul("ffn_down", {active}, rows_);
}

// For one token: the chosen experts are distinct, and each sees one row.
int StepBuilder::experts(int input) {
  const MixtureOfExperts& moe = *model_.moe;
  const int scores = matmul("ffn_gate_inp", {input}, rows_);
  const int route = add("route", {scores}, Route{rows_, moe.experts, moe.active});
  const int gate = matmul("ffn_gate_exps", {input, route}, 1, moe.active);
  const int up = matmul("ffn_up_exps", {input, route}, 1, moe.active);
  const int active =
      add("ffn_act", {gate, up}, Activation{model_.activation, moe.active, moe.expert_ffn, model_.gated_ffn});
  const int down = matmul("ffn_down_exps", {active, route}, 1, moe.active);
  return add("ffn_moe_sum", {down, route}, Add{moe.active, model_.hidden});
}

int StepBuilder::layer(int input) {
  const bool post_norms = model_.norms_per_layer == 4;
  int a = attention(norm("attn_norm", input, rows_));
  if (post_norms) a = norm("post_attention_norm", a, rows_);
  const int x = sum("attn_add", a, input);
  int f = ffn(norm("ffn_norm", x, rows_));
  if (post_norms) f = norm("post_ffw_norm", f, rows_);
  return sum("ffn_add", f, x);
}

int StepBuilder::parallel_layer(int input) {
  const int n = norm("attn_norm", input, rows_);
  const int a = attention(n);
  const int f = ffn(n);
  return sum("ffn_add", sum("attn_ffn_add", a, f), input);
}

void StepBuilder::head(int input) {
  const std::int64_t last = step_.requests;  // the last token of each request
  const int n = norm("output_norm", input, last);
  const StoredTensor* untied = find("output.weight");
  const StoredTensor& t = untied ? *untied : tensor("token_embd.weight");
  const int logits =
      add("output", {n}, MatMul{last, t.tensor.rows, t.tensor.row, t.format, bias_bytes("output")});
  add("sample", {logits}, Sample{last, model_.vocab});
}

}  // namespace edgenpu::workload
