#include "numerics/weights.h"

#include <fmt/format.h>
#include <set>

#include "base/error.h"

namespace edgenpu::numerics {
namespace {

using workload::GgufFile;
using workload::GgufTensor;

class Loader {
 public:
  Loader(const GgufFile& file, const Architecture& a) : file_(file), a_(a) {}

  Weights load();

 private:
  [[noreturn]] void refuse(const std::string& tensor, const std::string& message) const {
    throw InputError(Position{file_.source()}, fmt::format("tensor '{}': {}", tensor, message));
  }
  const GgufTensor* use(const std::string& name, bool required);
  void check(const GgufTensor& t, const std::vector<std::int64_t>& dims) const;

  Vector vector(const std::string& name, std::int64_t size, bool required);
  NormWeights norm(const std::string& name, std::int64_t size);
  // rows or columns 0: whatever the file has.
  Matrix matrix(const std::string& name, std::int64_t rows, std::int64_t columns, bool required = true);
  Linear linear(const std::string& name, std::int64_t rows, std::int64_t columns, bool required = true);
  std::vector<Matrix> expert_matrices(const std::string& prefix, const std::string& part);

  void attention(const std::string& p, Layer& layer);
  void split_qkv(const std::string& p, Layer& layer);
  void feed_forward(const std::string& p, Layer& layer);
  void mixture(const std::string& p, Layer& layer);
  void refuse_unused() const;

  const GgufFile& file_;
  const Architecture& a_;
  std::set<std::string> used_;
};

std::string text(const std::vector<std::int64_t>& dims) {
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

const GgufTensor* Loader::use(const std::string& name, bool required) {
  const GgufTensor* t = file_.find_tensor(name);
  if (t == nullptr && required)
    refuse(name, fmt::format("is missing, but architecture '{}' needs it", a_.name));
  used_.insert(name);
  return t;
}

void Loader::check(const GgufTensor& t, const std::vector<std::int64_t>& dims) const {
  std::vector<std::int64_t> found = t.dims;
  while (found.size() > dims.size() && found.back() == 1) found.pop_back();
  bool same = found.size() == dims.size();
  for (std::size_t i = 0; same && i < dims.size(); ++i) same = dims[i] == 0 || dims[i] == found[i];
  if (!same) refuse(t.name, fmt::format("has shape {}; {} is expected", text(t.dims), text(dims)));
}

Vector Loader::vector(const std::string& name, std::int64_t size, bool required) {
  const GgufTensor* t = use(name, required);
  if (t == nullptr) return {};
  check(*t, {size});
  Vector v(static_cast<std::size_t>(size));
  decode(t->format, file_.data(*t), size, v.data());
  return v;
}

NormWeights Loader::norm(const std::string& name, std::int64_t size) {
  return {vector(name + ".weight", size, true), vector(name + ".bias", size, a_.norm == NormKind::layer)};
}

Matrix Loader::matrix(const std::string& name, std::int64_t rows, std::int64_t columns, bool required) {
  const GgufTensor* t = use(name, required);
  if (t == nullptr) return {};
  // A single row may be stored as a vector.
  if (t->dims.size() == 1 && rows == 1) {
    check(*t, {columns});
  } else {
    check(*t, {columns, rows});
  }
  return {name, t->format, t->dims.size() > 1 ? t->dims[1] : 1, t->dims[0], file_.data(*t)};
}

Linear Loader::linear(const std::string& name, std::int64_t rows, std::int64_t columns, bool required) {
  Linear l{matrix(name + ".weight", rows, columns, required), {}};
  if (l.weight.data != nullptr) l.bias = vector(name + ".bias", l.weight.rows, false);
  return l;
}

void Loader::split_qkv(const std::string& p, Layer& layer) {
  const std::int64_t q = a_.heads * a_.head_dim, kv = a_.kv_heads * a_.head_dim;
  const Linear all = linear(p + "attn_qkv", q + 2 * kv, a_.width);
  const auto part = [&](std::int64_t first, std::int64_t count) {
    Linear l{all.weight.slice(first, count), {}};
    if (!all.bias.empty()) l.bias.assign(all.bias.begin() + first, all.bias.begin() + first + count);
    return l;
  };
  layer.q = part(0, q);
  layer.k = part(q, kv);
  layer.v = part(q + kv, kv);
}

void Loader::attention(const std::string& p, Layer& layer) {
  const std::int64_t q = a_.heads * a_.head_dim, kv = a_.kv_heads * a_.head_dim;
  layer.attn_norm = norm(p + "attn_norm", a_.width);
  if (file_.find_tensor(p + "attn_qkv.weight") != nullptr) {
    split_qkv(p, layer);
  } else {
    layer.q = linear(p + "attn_q", q, a_.width);
    layer.k = linear(p + "attn_k", kv, a_.width);
    layer.v = linear(p + "attn_v", kv, a_.width);
  }
  layer.output = linear(p + "attn_output", a_.width, q);
  if (a_.head_norms || a_.full_norms) {
    layer.q_norm = norm(p + "attn_q_norm", a_.full_norms ? q : a_.head_dim);
    layer.k_norm = norm(p + "attn_k_norm", a_.full_norms ? kv : a_.head_dim);
  }
  if (a_.post_norms) layer.post_attn_norm = norm(p + "post_attention_norm", a_.width);
}

void Loader::feed_forward(const std::string& p, Layer& layer) {
  if (!a_.parallel) layer.ffn_norm = norm(p + "ffn_norm", a_.width);
  if (a_.post_norms) layer.post_ffn_norm = norm(p + "post_ffw_norm", a_.width);
  if (a_.experts > 0) {
    mixture(p, layer);
    return;
  }
  layer.down = linear(p + "ffn_down", a_.width, 0);
  const std::int64_t ffn = layer.down.weight.columns;
  if (a_.gated && file_.find_tensor(p + "ffn_gate.weight") == nullptr) {
    // Gate and up in one matrix, the gate first.
    const Linear both = linear(p + "ffn_up", 2 * ffn, a_.width);
    if (!both.bias.empty()) refuse(p + "ffn_up.bias", "a bias of a fused gate is not supported");
    layer.gate.weight = both.weight.slice(0, ffn);
    layer.up.weight = both.weight.slice(ffn, ffn);
    return;
  }
  if (a_.gated) layer.gate = linear(p + "ffn_gate", ffn, a_.width);
  layer.up = linear(p + "ffn_up", ffn, a_.width);
}

// Experts stand in one tensor of three dimensions or, in files of 2023, each in its own.
std::vector<Matrix> Loader::expert_matrices(const std::string& prefix, const std::string& part) {
  std::vector<Matrix> list;
  const std::string together = prefix + "ffn_" + part + "_exps.weight";
  const GgufTensor* t = file_.find_tensor(together);
  for (std::int64_t e = 0; e < a_.experts; ++e) {
    if (t == nullptr) {
      list.push_back(matrix(fmt::format("{}ffn_{}.{}.weight", prefix, part, e), 0, 0));
      continue;
    }
    if (e == 0) check(*use(together, true), {0, 0, a_.experts});
    Matrix m{fmt::format("{} ({})", together, e), t->format, t->dims[1], t->dims[0], file_.data(*t)};
    m.data += e * m.rows * m.row_bytes();
    list.push_back(m);
  }
  return list;
}

void Loader::mixture(const std::string& p, Layer& layer) {
  layer.router = matrix(p + "ffn_gate_inp.weight", a_.experts, a_.width);
  const auto gate = expert_matrices(p, "gate"), up = expert_matrices(p, "up"),
             down = expert_matrices(p, "down");
  for (std::size_t e = 0; e < gate.size(); ++e) {
    const Expert x{gate[e], up[e], down[e]};
    if (x.gate.columns != a_.width || x.up.columns != a_.width || x.down.rows != a_.width ||
        x.gate.rows != x.up.rows || x.down.columns != x.up.rows)
      refuse(x.down.name, "the shapes of gate, up and down do not fit each other and the model's width");
    layer.experts.push_back(x);
  }
  if (!a_.shared_expert) return;
  layer.shared_gate = matrix(p + "ffn_gate_inp_shexp.weight", 1, a_.width);
  layer.shared.down = matrix(p + "ffn_down_shexp.weight", a_.width, 0);
  layer.shared.gate = matrix(p + "ffn_gate_shexp.weight", layer.shared.down.columns, a_.width);
  layer.shared.up = matrix(p + "ffn_up_shexp.weight", layer.shared.down.columns, a_.width);
}

void Loader::refuse_unused() const {
  for (const GgufTensor& t : file_.tensors())
    if (used_.count(t.name) == 0)
      refuse(t.name, fmt::format("architecture '{}' does not use it, so the result would not be the model's",
                                 a_.name));
}

Weights Loader::load() {
  Weights w;
  w.embedding = matrix("token_embd.weight", 0, a_.width);
  w.output_norm = norm("output_norm", a_.width);
  w.head = linear("output", w.embedding.rows, a_.width, false);
  if (w.head.weight.data == nullptr) w.head = {w.embedding, vector("output.bias", w.embedding.rows, false)};
  w.rope_factors = vector("rope_freqs.weight", a_.rope.dims / 2, false);
  w.rope_factors_long = vector("rope_factors_long.weight", a_.rope.dims / 2, false);
  const Vector short_factors = vector("rope_factors_short.weight", a_.rope.dims / 2, false);
  if (!short_factors.empty()) w.rope_factors = short_factors;
  // The table of tensors bounds the layers that can be there.
  for (std::int64_t i = 0; i < a_.layers; ++i) {
    Layer layer;
    const std::string p = fmt::format("blk.{}.", i);
    attention(p, layer);
    feed_forward(p, layer);
    w.layers.push_back(std::move(layer));
  }
  refuse_unused();
  return w;
}

}  // namespace

Matrix Matrix::slice(std::int64_t first, std::int64_t count) const {
  if (first < 0 || count < 0 || first + count > rows) throw InternalError("rows outside matrix " + name);
  Matrix part = *this;
  part.rows = count;
  part.data = row(first);
  return part;
}

Weights load_weights(const GgufFile& file, const Architecture& architecture) {
  return Loader(file, architecture).load();
}

}  // namespace edgenpu::numerics
