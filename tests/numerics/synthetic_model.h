// Small models of any architecture with pseudo-random F32 weights, written as GGUF images, and a forward pass
// over them that shares no code with the simulator: float64, one token after another, straight from the
// definition.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/gguf_image.h"

namespace edgenpu::test {

struct Synthetic {
  std::string arch = "llama";
  int layers = 2, width = 64, heads = 4, kv_heads = 2, head_dim = 16, ffn = 96, vocab = 40;
  int experts = 0, active = 0, shared_ffn = 0;
  bool layer_norm = false, halves = false, gated = true, gelu = false, parallel = false, bias = false,
       qkv_bias = false;
  bool fused_qkv = false, fused_gate = false, tied = false, head_norms = false, full_norms = false,
       post_norms = false;
  bool renormalise = false, rope_factors = false;
  int rope_dims = 16, window = 0, global_every = 0;
  double theta = 10000, theta_local = 10000, rope_scale = 1, magnitude = 1;
  double embedding_scale = 1, score_cap = 0, logit_cap = 0;
  double eps = 1e-5;
};

using Values = std::vector<float>;

// "blk.3."
inline std::string block_prefix(int layer) {
  return "blk." + std::to_string(layer) + ".";
}

class SyntheticModel {
 public:
  explicit SyntheticModel(const Synthetic& s) : s_(s) { make_tensors(); }

  void write(const std::string& path, const std::vector<std::pair<std::string, double>>& extra) const;
  // Logits of each token, in float64.
  std::vector<std::vector<double>> forward(const std::vector<int>& tokens) const;

 private:
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dims;
    Values values;
  };
  using Row = std::vector<double>;

  void add(const std::string& name, std::vector<std::uint64_t> dims, double scale, double center = 0);
  void add_linear(const std::string& name, int rows, int columns, bool bias);
  void add_norm(const std::string& name, int width);
  void make_tensors();
  void make_layer(const std::string& p);

  const Values& get(const std::string& name) const { return tensors_[index_.at(name)].values; }
  bool has(const std::string& name) const { return index_.count(name) > 0; }
  Row product(const std::string& name, const Row& x, int rows, int first = 0) const;
  Row norm(const std::string& name, const Row& x, std::size_t stretch) const;
  void rope(Row& x, int position, bool local) const;
  double activation(double x) const;
  Row mlp(const std::string& p, const Row& x) const;
  Row expert(const std::string& p, const std::string& suffix, const Row& x, int ffn, int index) const;
  Row attention(int layer, const Row& x, int position, std::vector<Row>& keys,
                std::vector<Row>& values) const;

  Synthetic s_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace edgenpu::test
