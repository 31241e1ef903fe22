#include "workload/magnitude.h"

#include <algorithm>

namespace edgenpu::workload {
namespace {

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

double magnitude(const OperatorBody& body) {
  return std::visit(Magnitude{}, body);
}

}  // namespace edgenpu::workload
