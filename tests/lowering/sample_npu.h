// A small NPU and small traces for tests: round numbers, no files.
#pragma once

#include "config/npu.h"
#include "workload/trace.h"

namespace edgenpu::test {

inline config::Npu sample_npu() {
  config::Npu n;
  n.name = "sample";
  n.clock = Hertz(1'000'000'000);
  n.matrix.engines = 2;
  n.matrix.rows = 4;
  n.matrix.columns = 32;
  n.matrix.pipeline = Cycles(10);
  using vocabulary::Operands;
  n.matrix.rate = {
      {Operands::int4_int8, 1}, {Operands::int8, 1}, {Operands::fp16, 0.5}, {Operands::bf16, 0.5}};
  n.matrix.decode = {{"Q4_K", 256}, {"Q6_K", 128}, {"Q8_0", 128}, {"F16", 256}};
  n.matrix.port = Bytes(1024);
  n.vector.lanes = 16;
  n.vector.start = Cycles(8);
  for (const vocabulary::FunctionInfo& f : vocabulary::vector_functions())
    n.vector.operations[f.function] = 2;
  n.scratchpad.size = Bytes(256 * 1024);
  n.scratchpad.banks = 8;
  n.scratchpad.width = Bytes(64);
  n.dma.channels = 2;
  n.dma.outstanding = 256;
  n.dma.request = Bytes(64);
  n.dma.setup = Cycles(16);
  n.interconnect.width = Bytes(512);
  n.issue = Cycles(4);
  n.queue_depth = 8;
  n.tile = Bytes(16 * 1024);
  n.memory.channels = 2;
  n.memory.capacity = Bytes(std::int64_t{1} << 30);
  n.memory.interleave = Bytes(4096);
  return n;
}

// norm -> q, k, v -> rope -> kv_write, attention -> output projection -> add, `layers` times, then logits and
// sample.
inline workload::Trace sample_trace(std::int64_t layers, std::int64_t context, std::int64_t vocab = 512) {
  using namespace workload;
  constexpr std::int64_t kHidden = 256, kHeads = 8, kKvHeads = 2, kHeadDim = 32;
  Trace t;
  t.model = "sample";
  t.quant = "Q4_K";
  t.context = context;
  int residual = 0;
  const auto add = [&t](const std::string& name, int layer, std::vector<int> needs, OperatorBody body) {
    t.operators.push_back({name, layer, std::move(needs), body});
    return static_cast<int>(t.operators.size()) - 1;
  };
  residual = add("embed", -1, {}, Embed{1, kHidden, Format::Q4_K});
  for (int l = 0; l < static_cast<int>(layers); ++l) {
    const std::string b = "blk." + std::to_string(l) + ".";
    const int norm =
        add(b + "attn_norm", l, {residual}, Norm{Norm::Kind::rms, 1, 1, kHidden, Bytes(kHidden * 4)});
    const int q = add(b + "attn_q", l, {norm}, MatMul{1, kHeads * kHeadDim, kHidden, Format::Q4_K, Bytes(0)});
    const int k =
        add(b + "attn_k", l, {norm}, MatMul{1, kKvHeads * kHeadDim, kHidden, Format::Q4_K, Bytes(256)});
    const int v =
        add(b + "attn_v", l, {norm}, MatMul{1, kKvHeads * kHeadDim, kHidden, Format::Q6_K, Bytes(0)});
    const int rq = add(b + "rope_q", l, {q}, Rope{1, kHeads, kHeadDim});
    const int rk = add(b + "rope_k", l, {k}, Rope{1, kKvHeads, kHeadDim});
    add(b + "kv_write", l, {rk, v}, KvWrite{1, kKvHeads, kHeadDim, Format::F16});
    const int a = add(b + "attention", l, {rq, rk, v},
                      Attention{1, kHeads, kKvHeads, kHeadDim, context, 0, Format::F16});
    const int o =
        add(b + "attn_output", l, {a}, MatMul{1, kHidden, kHeads * kHeadDim, Format::Q4_K, Bytes(0)});
    residual = add(b + "attn_add", l, {residual, o}, Add{1, kHidden});
  }
  const int logits = add("output", -1, {residual}, MatMul{1, vocab, kHidden, Format::Q6_K, Bytes(0)});
  add("sample", -1, {logits}, Sample{1, vocab});
  t.resident_weights = requested_read(t);
  t.resident_kv = Bytes(layers * (context + 1) * 2 * kKvHeads * kHeadDim * 2);
  return t;
}

}  // namespace edgenpu::test
