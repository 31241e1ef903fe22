#include "workload/operator.h"

#include <algorithm>
#include <array>

#include "workload/arithmetic.h"

namespace edgenpu::workload {
namespace {

struct Weights {
  Bytes operator()(const Embed& o) const { return row_bytes(o.format, o.width) * o.m; }
  Bytes operator()(const Norm& o) const { return o.weight_bytes; }
  Bytes operator()(const MatMul& o) const { return (o.stored_row() * o.n + o.bias_bytes) * o.copies; }
  template <class Other>
  Bytes operator()(const Other&) const {
    return Bytes(0);
  }
};

// One token's K and V. Blocks do not cross heads, since each head is read on its own.
Bytes kv_row(Format format, std::int64_t kv_heads, std::int64_t head_dim) {
  return row_bytes(format, head_dim) * (2 * kv_heads);
}

// Keys that all queries of one request see together: query i sees min(cached + i + 1, window).
std::int64_t visible_keys(const Attention& o) {
  const std::int64_t growing = o.window == 0 ? o.m : std::clamp<std::int64_t>(o.window - o.cached, 0, o.m);
  return growing * o.cached + growing * (growing + 1) / 2 + (o.m - growing) * o.window;
}

struct Products {
  Macs operator()(const MatMul& o) const { return Macs(o.rows() * o.n * o.k); }
  Macs operator()(const Attention& o) const {
    return Macs(2 * o.requests * o.heads * o.head_dim * visible_keys(o));
  }
  template <class Other>
  Macs operator()(const Other&) const {
    return Macs(0);
  }
};

}  // namespace

const char* kind_name(const OperatorBody& body) {
  // In the order of OperatorBody.
  static constexpr std::array<const char*, std::variant_size_v<OperatorBody>> kNames = {
      "embed",      "norm", "matmul", "rope",   "attention", "kv_write",
      "activation", "add",  "route",  "sample", "combine"};
  return kNames.at(body.index());
}

Bytes weight_bytes(const OperatorBody& body) {
  return std::visit(Weights{}, body);
}

Bytes kv_read_bytes(const OperatorBody& body) {
  const auto* o = std::get_if<Attention>(&body);
  return o ? kv_row(o->kv_format, o->kv_heads, o->head_dim) * (o->cached * o->requests) : Bytes(0);
}

Bytes kv_write_bytes(const OperatorBody& body) {
  const auto* o = std::get_if<KvWrite>(&body);
  return o ? kv_row(o->kv_format, o->kv_heads, o->head_dim) * o->m : Bytes(0);
}

std::string operands_of(const Operator& op) {
  if (!op.operands.empty()) return op.operands;
  if (const auto* product = std::get_if<MatMul>(&op.body)) return arithmetic(product->format).operands;
  if (const auto* attention = std::get_if<Attention>(&op.body))
    return attention->kv_format == Format::BF16 ? "bf16" : "fp16";
  return "";
}

Macs macs(const OperatorBody& body) {
  return std::visit(Products{}, body);
}

}  // namespace edgenpu::workload
