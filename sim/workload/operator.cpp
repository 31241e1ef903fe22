#include "workload/operator.h"

#include <algorithm>

#include "base/error.h"

namespace edgenpu::workload {
namespace {

// Nothing here has a default: a new operator must say what it reads and computes.
struct Weights {
  Bytes operator()(const Embed& o) const { return row_bytes(o.format, o.width) * o.m; }
  Bytes operator()(const Norm& o) const { return o.weight_bytes; }
  Bytes operator()(const MatMul& o) const { return (o.stored_row() * o.n + o.bias_bytes) * o.copies; }
  Bytes operator()(const Rope&) const { return Bytes(0); }
  Bytes operator()(const Attention&) const { return Bytes(0); }
  Bytes operator()(const KvWrite&) const { return Bytes(0); }
  Bytes operator()(const Activation&) const { return Bytes(0); }
  Bytes operator()(const Add&) const { return Bytes(0); }
  Bytes operator()(const Route&) const { return Bytes(0); }
  Bytes operator()(const Sample&) const { return Bytes(0); }
  Bytes operator()(const Combine&) const { return Bytes(0); }
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
  Macs operator()(const Embed&) const { return Macs(0); }
  Macs operator()(const Norm&) const { return Macs(0); }
  Macs operator()(const Rope&) const { return Macs(0); }
  Macs operator()(const KvWrite&) const { return Macs(0); }
  Macs operator()(const Activation&) const { return Macs(0); }
  Macs operator()(const Add&) const { return Macs(0); }
  Macs operator()(const Route&) const { return Macs(0); }
  Macs operator()(const Sample&) const { return Macs(0); }
  Macs operator()(const Combine&) const { return Macs(0); }
};

constexpr std::int64_t kFloat = 4, kHalf = 2;

// Of all operands but weights and the cache.
struct Inputs {
  const Operator& op;
  Bytes operator()(const Embed&) const { return Bytes(0); }  // numbers of tokens
  Bytes operator()(const MatMul& o) const { return Bytes(o.rows() * o.input_width() * operand_bytes(op)); }
  Bytes operator()(const Norm& o) const { return Bytes(o.m * o.heads * o.width * kFloat); }
  Bytes operator()(const Rope& o) const { return Bytes(o.m * o.heads * o.head_dim * kFloat); }
  Bytes operator()(const Activation& o) const { return Bytes((o.gated ? 2 : 1) * o.m * o.width * kFloat); }
  Bytes operator()(const Add& o) const { return Bytes(2 * o.m * o.width * kFloat); }
  Bytes operator()(const Route& o) const { return Bytes(o.m * o.experts * kFloat); }
  Bytes operator()(const Sample& o) const { return Bytes(o.m * o.vocab * kFloat); }
  Bytes operator()(const Combine& o) const { return Bytes(o.m * o.active * o.width * kFloat); }
  Bytes operator()(const KvWrite& o) const { return Bytes(2 * o.m * o.kv_heads * o.head_dim * kHalf); }
  Bytes operator()(const Attention& o) const {
    return (Bytes(o.heads * o.head_dim * kHalf) + kv_row(o.kv_format, o.kv_heads, o.head_dim)) *
           (o.m * o.requests);
  }
};

struct Magnitude {
  double operator()(const Embed& o) const { return 4.0 * d(o.m) * d(o.width); }
  double operator()(const Norm& o) const {
    return 4.0 * d(o.m) * d(o.heads) * d(o.width) + d(o.weight_bytes.count());
  }
  double operator()(const MatMul& o) const {
    const double rows = d(o.copies) * d(o.m) + d(o.extra);
    return (4.0 + d(o.index_bits)) * rows * d(o.n) * d(o.k) + rows * d(o.inputs) +
           d(o.copies) * d(o.bias_bytes.count());
  }
  double operator()(const Rope& o) const { return 4.0 * d(o.m) * d(o.heads) * d(o.head_dim); }
  double operator()(const Attention& o) const {
    const double keys = d(o.cached) + d(o.m);
    return d(o.requests) * d(o.head_dim) * keys * std::max(2.0 * d(o.heads) * d(o.m), 8.0 * d(o.kv_heads));
  }
  double operator()(const KvWrite& o) const { return 8.0 * d(o.m) * d(o.kv_heads) * d(o.head_dim); }
  double operator()(const Activation& o) const { return 8.0 * d(o.m) * d(o.width); }
  double operator()(const Add& o) const { return 8.0 * d(o.m) * d(o.width); }
  double operator()(const Route& o) const { return 4.0 * d(o.m) * d(o.experts); }
  double operator()(const Sample& o) const { return 4.0 * d(o.m) * d(o.vocab); }
  double operator()(const Combine& o) const { return 4.0 * d(o.m) * d(o.active) * d(o.width); }

 private:
  static double d(std::int64_t n) { return static_cast<double>(n); }
};

}  // namespace

const char* kind_name(const OperatorBody& body) {
  return std::visit([](const auto& o) { return o.kName; }, body);
}

Bytes weight_bytes(const OperatorBody& body) {
  return std::visit(Weights{}, body);
}

std::int64_t operand_bytes(const Operator& product) {
  if (product.runs_on == RunsOn::cores) return kFloat;
  const std::optional<Operands> operands = operands_of(product);
  if (!operands) throw InternalError(product.name + " has no products");
  return vocabulary::activation_bytes(*operands);
}

Bytes input_bytes(const Operator& op) {
  if (!op.needs.empty() || op.input_on_chip) return Bytes(0);
  return std::visit(Inputs{op}, op.body);
}

std::int64_t cached_rows_read(const Attention& o) {
  return o.window == 0 ? o.cached : std::min(o.cached, o.window - 1);
}

Bytes kv_read_bytes(const OperatorBody& body) {
  const auto* o = std::get_if<Attention>(&body);
  return o ? kv_row(o->kv_format, o->kv_heads, o->head_dim) * (cached_rows_read(*o) * o->requests) : Bytes(0);
}

Bytes kv_write_bytes(const OperatorBody& body) {
  const auto* o = std::get_if<KvWrite>(&body);
  return o ? kv_row(o->kv_format, o->kv_heads, o->head_dim) * o->m : Bytes(0);
}

std::optional<Operands> operands_of(const Operator& op) {
  if (op.operands) return op.operands;
  if (const auto* product = std::get_if<MatMul>(&op.body)) return info(product->format).arithmetic.operands;
  if (const auto* attention = std::get_if<Attention>(&op.body))
    return attention->kv_format == Format::BF16 ? Operands::bf16 : Operands::fp16;
  return std::nullopt;
}

VectorFunction function_of(Norm::Kind kind) {
  switch (kind) {
    case Norm::Kind::rms:
      return VectorFunction::rms_norm;
    case Norm::Kind::layer:
      return VectorFunction::layer_norm;
  }
  throw InternalError("a norm without a function");
}

VectorFunction function_of(Activation::Function function) {
  switch (function) {
    case Activation::Function::silu:
      return VectorFunction::silu;
    case Activation::Function::gelu:
      return VectorFunction::gelu;
  }
  throw InternalError("an activation without a function");
}

Macs macs(const OperatorBody& body) {
  return std::visit(Products{}, body);
}

double magnitude(const OperatorBody& body) {
  return std::visit(Magnitude{}, body);
}

}  // namespace edgenpu::workload
