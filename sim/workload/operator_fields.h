// The fields of each operator as trace files spell them, listed once for the reader and the writer.
//
// A visitor offers: count(key, value, low, fallback), bytes(key, value) with 0 as fallback, flag(key, value,
// fallback), name(key, enumerator, names) and format(key, format, row), where `row` elements must be whole
// blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workload/operator.h"

namespace edgenpu::workload {

template <class V>
void visit_fields(V& v, Embed& o) {
  v.count("m", o.m, 1);
  v.count("width", o.width, 1);
  v.format("format", o.format, o.width);
}

template <class V>
void visit_fields(V& v, Norm& o) {
  v.name("norm", o.kind, {"rms", "layer"});
  v.count("m", o.m, 1);
  v.count("heads", o.heads, 1, 1);
  v.count("width", o.width, 1);
  v.bytes("weights", o.weight_bytes);
}

template <class V>
void visit_fields(V& v, MatMul& o) {
  v.count("m", o.m, 1);
  v.count("n", o.n, 1);
  v.count("k", o.k, 1);
  v.format("format", o.format, o.k);
  v.bytes("bias", o.bias_bytes);
  v.count("copies", o.copies, 1, 1);
  v.count("extra", o.extra, 0, 0);
  v.count("inputs", o.inputs, 0, 0);
  v.count("index_bits", o.index_bits, 0, 0);
}

template <class V>
void visit_fields(V& v, Rope& o) {
  v.count("m", o.m, 1);
  v.count("heads", o.heads, 1);
  v.count("head_dim", o.head_dim, 1);
}

template <class V>
void visit_fields(V& v, Attention& o) {
  v.count("m", o.m, 1);
  v.count("heads", o.heads, 1);
  v.count("kv_heads", o.kv_heads, 1);
  v.count("head_dim", o.head_dim, 1);
  v.count("cached", o.cached, 0);
  v.count("window", o.window, 0, 0);
  v.format("kv_format", o.kv_format, o.head_dim);
  v.count("requests", o.requests, 1, 1);
}

template <class V>
void visit_fields(V& v, KvWrite& o) {
  v.count("m", o.m, 1);
  v.count("kv_heads", o.kv_heads, 1);
  v.count("head_dim", o.head_dim, 1);
  v.format("kv_format", o.kv_format, o.head_dim);
}

template <class V>
void visit_fields(V& v, Activation& o) {
  v.name("function", o.function, {"silu", "gelu"});
  v.count("m", o.m, 1);
  v.count("width", o.width, 1);
  v.flag("gated", o.gated);
}

template <class V>
void visit_fields(V& v, Add& o) {
  v.count("m", o.m, 1);
  v.count("width", o.width, 1);
}

template <class V>
void visit_fields(V& v, Route& o) {
  v.count("m", o.m, 1);
  v.count("experts", o.experts, 1);
  v.count("active", o.active, 1);
}

template <class V>
void visit_fields(V& v, Combine& o) {
  v.count("m", o.m, 1);
  v.count("active", o.active, 1);
  v.count("width", o.width, 1);
}

template <class V>
void visit_fields(V& v, Sample& o) {
  v.count("m", o.m, 1);
  v.count("vocab", o.vocab, 1);
}

// The layer that a name says: 3 for "blk.3.attn_q", -1 for "output".
int layer_of_name(const std::string& name);

// One body of each kind, in the order of OperatorBody.
const std::vector<OperatorBody>& empty_bodies();

}  // namespace edgenpu::workload
