// The tensors of a model as a GGUF file names and shapes them.
//
// Left out: position embeddings, encoders, and tensors of recurrent layers (short convolutions are there). Fused matrices keep the file's
// names: attn_qkv; a gate fused with the up projection is called ffn_up and has twice its rows. Source:
// tensor names of llama.cpp's converter (gguf-py constants); shapes checked by file sizes in
// tests/workload/mixture_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/model.h"

namespace edgenpu::workload {

// What decides a tensor's type in a mixture.
enum class Role {
  token_embd,
  output,
  attn_q,
  attn_k,
  attn_v,
  attn_qkv,
  attn_output,
  ffn_gate_up,
  ffn_down,
  short_conv,   // the projections of a short convolution
  unquantised,  // norms, biases, rope factors, expert routers: F32
};

struct Tensor {
  std::string name;  // "blk.0.attn_q.weight"
  int layer = -1;    // -1 outside the layers
  Role role = Role::unquantised;
  std::int64_t row = 0;       // ne0: elements of a row, the input width of a matrix
  std::int64_t rows = 1;      // ne1: outputs
  std::int64_t matrices = 1;  // ne2: experts
};

// In the order of the computation: embedding, layers, output norm, output head, rope factors.
std::vector<Tensor> gguf_tensors(const Model& model);

// Elements of all tensors, rope factors left out.
std::int64_t parameters(const Model& model);

}  // namespace edgenpu::workload
