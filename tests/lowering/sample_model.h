// A small model of the llama family for tests of steps with many tokens.
#pragma once

#include "workload/generate.h"

namespace edgenpu::test {

inline workload::Model sample_model() {
  workload::Model m;
  m.name = "Sample";
  m.gguf_arch = "llama";
  m.layers = 2;
  m.hidden = 256;
  m.ffn = 768;
  m.vocab = 512;
  m.heads = 8;
  m.kv_heads = 2;
  m.head_dim = 32;
  m.max_position = 4096;
  m.rope = {workload::RopeShape::Pairing::norm, 32, 1e4, 1e4, {}};
  m.norm_eps = 1e-5;
  return m;
}

}  // namespace edgenpu::test
