#include "workload/step_builder.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/rates.h"

namespace edgenpu::workload {

std::int64_t kept_tokens(std::int64_t tokens, double share) {
  const auto kept = static_cast<std::int64_t>(std::ceil(static_cast<double>(tokens) * share - 1e-9));
  return std::clamp<std::int64_t>(kept, std::min<std::int64_t>(tokens, 1), tokens);
}

StepBuilder::StepBuilder(const StoredModel& stored, const Step& step)
    : stored_(stored), model_(stored.model), step_(step), rows_(step.requests * step.tokens) {
  for (const StoredTensor& t : stored.tensors) tensors_[t.tensor.name] = &t;
}

std::vector<Operator> StepBuilder::build() {
  int x = embed();
  // Layers that a step touches only sometimes: as many run as the expectation says, spread evenly.
  double expected = 0;
  std::int64_t run = 0;
  for (layer_ = 0; layer_ < model_.layers; ++layer_) {
    use_ = stored_.use_of(layer_);
    rows_ = step_.requests * kept_tokens(step_.tokens, use_.tokens);
    expected += touched(use_.probability, rows_);
    if (static_cast<std::int64_t>(std::floor(expected + 0.5)) <= run) continue;
    ++run;
    x = layer(x);
  }
  layer_ = -1;
  head(x);
  return std::move(operators_);
}

std::string StepBuilder::prefix() const {
  return layer_ < 0 ? "" : "blk." + std::to_string(layer_) + ".";
}

const StoredTensor* StepBuilder::find(const std::string& name) {
  const auto it = tensors_.find(prefix() + name);
  if (it == tensors_.end()) return nullptr;
  used_.insert(it->first);
  return it->second;
}

void StepBuilder::expect(bool good, const std::string& name, const std::string& what) const {
  if (good) return;
  const std::string message = fmt::format("tensor '{}' {}", prefix() + name, what);
  if (stored_.source.empty()) throw InternalError("the shape of " + model_.name + ": " + message);
  throw InputError(Position{stored_.source}, message);
}

const StoredTensor& StepBuilder::tensor(const std::string& name) {
  const StoredTensor* t = find(name);
  expect(t != nullptr, name, fmt::format("is missing; a model of architecture {} has it", model_.gguf_arch));
  return *t;
}

Bytes StepBuilder::vector_bytes(const std::string& name) {
  const StoredTensor* vector = find(name);
  return vector ? vector->bytes() : Bytes(0);
}

int StepBuilder::add(const std::string& name, std::vector<int> needs, OperatorBody body) {
  operators_.push_back({prefix() + name, layer_, std::move(needs), std::move(body)});
  return static_cast<int>(operators_.size()) - 1;
}

int StepBuilder::embed() {
  const StoredTensor& t = tensor("token_embd.weight");
  expect(t.tensor.row == model_.hidden, "token_embd.weight",
         fmt::format("has rows of {} elements; the model is {} wide", t.tensor.row, model_.hidden));
  return add("token_embd", {}, Embed{rows_, model_.hidden, t.format});
}

int StepBuilder::norm(const std::string& stem, int input, std::int64_t rows) {
  const StoredTensor& t = tensor(stem + ".weight");
  expect(t.tensor.row == model_.hidden && t.tensor.rows == 1, stem + ".weight",
         fmt::format("has {} x {} elements; a norm of {} has {}", t.tensor.row, t.tensor.rows, model_.name,
                     model_.hidden));
  return add(stem, {input},
             Norm{model_.norm, rows, 1, model_.hidden, t.bytes() + vector_bytes(stem + ".bias")});
}

// Per head, or over the whole width of all heads.
int StepBuilder::head_norm(const std::string& stem, int input, std::int64_t heads) {
  const StoredTensor& t = tensor(stem + ".weight");
  const std::int64_t head_dim = model_.head_dim_of(layer_);
  const bool per_head = t.tensor.row == head_dim;
  expect(per_head || t.tensor.row == heads * head_dim, stem + ".weight",
         fmt::format("has {} elements; {} (a head) or {} (all heads) fit", t.tensor.row, head_dim,
                     heads * head_dim));
  return add(
      stem, {input},
      Norm{model_.norm, rows_, per_head ? heads : 1, t.tensor.row, t.bytes() + vector_bytes(stem + ".bias")});
}

namespace {

// Without the dot that tensors of a short convolution have.
std::string operator_name(const std::string& stem) {
  for (const auto& [tensor, name] : {std::pair<std::string, std::string>("shortconv.in_proj", "shortconv_in"),
                                     {"shortconv.out_proj", "shortconv_out"}})
    if (stem.rfind(tensor, 0) == 0) return name + stem.substr(tensor.size());
  return stem;
}

}  // namespace

int StepBuilder::product(const std::string& stem, std::vector<int> needs, Rows rows, std::int64_t inputs) {
  const StoredTensor& t = tensor(stem + ".weight");
  expect(t.tensor.row == inputs, stem + ".weight",
         fmt::format("has rows of {} elements; its input is {} wide", t.tensor.row, inputs));
  MatMul m{rows.m,      t.tensor.rows, t.kept_per_row(), t.format, vector_bytes(stem + ".bias"),
           rows.copies, rows.extra};
  m.bias_bytes = Bytes(m.bias_bytes.count() / t.tensor.matrices);
  if (m.k != inputs) m.inputs = inputs;
  m.index_bits = t.index_bits;
  return add(operator_name(stem), std::move(needs), m);
}

// A matrix, or two factors of low rank in its place.
int StepBuilder::matmul(const std::string& stem, std::vector<int> needs, Rows rows, std::int64_t inputs) {
  if (!has(stem + ".factor_a")) return product(stem, std::move(needs), rows, inputs);
  const int middle = product(stem + ".factor_a", needs, rows, inputs);
  needs[0] = middle;
  return product(stem + ".factor_b", std::move(needs), rows, outputs(stem + ".factor_a"));
}

std::int64_t StepBuilder::outputs(const std::string& stem) {
  const bool factors = has(stem + ".factor_b");
  return tensor(stem + (factors ? ".factor_b" : "") + ".weight").tensor.rows;
}

int StepBuilder::rope(const std::string& name, int input, std::int64_t heads) {
  return add(name, {input}, Rope{rows_, heads, model_.rope.dim});
}

int StepBuilder::sum(const std::string& name, int a, int b) {
  return add(name, {a, b}, Add{rows_, model_.hidden});
}

void StepBuilder::check_heads(bool fused, std::int64_t head_dim) {
  const std::int64_t q_width = use_.heads * head_dim, kv_width = use_.kv_heads * head_dim;
  const auto check = [&](const char* stem, std::int64_t width) {
    expect(outputs(stem) == width, std::string(stem) + ".weight",
           fmt::format("has {} rows; {} heads and {} KV heads of {} need {}", outputs(stem), use_.heads,
                       use_.kv_heads, head_dim, width));
  };
  if (fused) return check("attn_qkv", q_width + 2 * kv_width);
  check("attn_q", q_width);
  check("attn_k", kv_width);
  if (has_product("attn_v") || !model_.keys_are_values(layer_)) check("attn_v", kv_width);
}

int StepBuilder::attention(int input) {
  const bool fused = has_product("attn_qkv");
  const std::int64_t head_dim = model_.head_dim_of(layer_);
  check_heads(fused, head_dim);
  int q = matmul(fused ? "attn_qkv" : "attn_q", {input}, {rows_}, model_.hidden);
  int k = fused ? q : matmul("attn_k", {input}, {rows_}, model_.hidden);
  const bool values = !fused && has_product("attn_v");
  const int v = values ? matmul("attn_v", {input}, {rows_}, model_.hidden) : k;
  if (has("attn_q_norm")) q = head_norm("attn_q_norm", q, use_.heads);
  if (has("attn_k_norm")) k = head_norm("attn_k_norm", k, use_.kv_heads);
  q = rope("rope_q", q, use_.heads);
  k = rope("rope_k", k, use_.kv_heads);
  add("kv_write", {k, v}, KvWrite{rows_, use_.kv_heads, head_dim, step_.kv_format});
  const std::int64_t window = model_.window_of(layer_);
  const std::int64_t context = kept_tokens(step_.context, use_.tokens);
  const std::int64_t cached = window == 0 ? context : std::min(context, window - 1);
  const int mixed = add("attention", {q, k, v},
                        Attention{rows_ / step_.requests, use_.heads, use_.kv_heads, head_dim, cached, window,
                                  step_.kv_format, step_.requests});
  const Bytes sinks = vector_bytes("attn_sinks.weight");
  const int result = matmul("attn_output", {mixed}, {rows_}, use_.heads * head_dim);
  std::get<MatMul>(operators_.back().body).bias_bytes += sinks;
  return result;
}

// The convolution of three taps reads a state of two rows, as a cached row of keys and one of values are, and
// weights two more; it is an attention of as many KV heads as the width has, to itself and that row. Its own
// taps are read with the input projection. The state stays in 16 bits whatever the cache has.
int StepBuilder::short_conv(int input) {
  const std::int64_t heads = model_.hidden / model_.head_dim;
  const int x = matmul("shortconv.in_proj", {input}, {rows_}, model_.hidden);
  expect(outputs("shortconv.in_proj") == 3 * model_.hidden, "shortconv.in_proj.weight",
         fmt::format("has {} rows; a width of {} needs three times as many", outputs("shortconv.in_proj"),
                     model_.hidden));
  std::get<MatMul>(operators_.back().body).bias_bytes += tensor("shortconv.conv.weight").bytes();
  add("shortconv_state", {x}, KvWrite{rows_, heads, model_.head_dim, Format::F16});
  const int mixed = add("shortconv", {x},
                        Attention{rows_ / step_.requests, heads, heads, model_.head_dim,
                                  std::min<std::int64_t>(step_.context, 1), 2, Format::F16, step_.requests});
  return matmul("shortconv.out_proj", {mixed}, {rows_}, model_.hidden);
}

int StepBuilder::layer(int input) {
  const int n = norm("attn_norm", input, rows_);
  int a = model_.attends(layer_) ? attention(n) : short_conv(n);
  if (model_.parallel_attn_ffn) {
    const int f = ffn(n);
    return sum("ffn_add", sum("attn_ffn_add", a, f), input);
  }
  if (has("post_attention_norm")) a = norm("post_attention_norm", a, rows_);
  const int x = sum("attn_add", a, input);
  int f = ffn(norm("ffn_norm", x, rows_));
  if (has("post_ffw_norm")) f = norm("post_ffw_norm", f, rows_);
  return sum("ffn_add", f, x);
}

void StepBuilder::head(int input) {
  const std::int64_t last = step_.requests;  // the last token of each request
  const int n = norm("output_norm", input, last);
  const char* stem = has_product("output") ? "output" : "token_embd";
  const int logits = matmul(stem, {n}, {last}, model_.hidden);
  operators_.back().name = "output";
  add("sample", {logits}, Sample{last, outputs(stem)});
}

}  // namespace edgenpu::workload
