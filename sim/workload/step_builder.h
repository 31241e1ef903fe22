// Builds the operators of one step; the inner part of generate.h, which holds the contract.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "workload/generate.h"

namespace edgenpu::workload {

struct Step {
  std::int64_t requests, tokens, context;  // `tokens` new ones of each request
  Format kv_format;
};

// The tokens that a layer sees: all, or the share that a transformation leaves.
std::int64_t kept_tokens(std::int64_t tokens, double share);

class StepBuilder {
 public:
  StepBuilder(const StoredModel& stored, const Step& step);

  std::vector<Operator> build();
  // Tensors that the step reads, by name.
  const std::set<std::string>& used() const { return used_; }

 private:
  struct Rows {
    std::int64_t m, copies = 1, extra = 0;
  };
  // Each adds one operator or a group, and returns the index of the one that holds the result.
  int add(const std::string& name, std::vector<int> needs, OperatorBody body);
  int embed();
  int norm(const std::string& stem, int input, std::int64_t rows);
  int head_norm(const std::string& stem, int input, std::int64_t heads);
  // `inputs`: the width that the input has.
  int matmul(const std::string& stem, std::vector<int> needs, Rows rows, std::int64_t inputs);
  int product(const std::string& stem, std::vector<int> needs, Rows rows, std::int64_t inputs);
  int rope(const std::string& name, int input, std::int64_t heads);
  int sum(const std::string& name, int a, int b);
  int attention(int input);
  int short_conv(int input);
  int ffn(int input);
  int dense(int input, const std::string& suffix);
  int experts(int input);
  int layer(int input);
  void head(int input);

  std::string prefix() const;
  const StoredTensor* find(const std::string& name);
  const StoredTensor& tensor(const std::string& name);
  bool has(const std::string& stem) const { return tensors_.count(prefix() + stem + ".weight") > 0; }
  // Bytes of a vector that an operator reads beside its matrix; 0 without one.
  Bytes vector_bytes(const std::string& name);
  bool has_product(const std::string& stem) const { return has(stem) || has(stem + ".factor_a"); }
  // Rows of the matrix, or of the last of its factors.
  std::int64_t outputs(const std::string& stem);
  void check_heads(bool fused, std::int64_t head_dim);
  void expect(bool good, const std::string& name, const std::string& what) const;
  std::int64_t neurons(const std::string& down);

  const StoredModel& stored_;
  const Model& model_;
  Step step_;
  std::int64_t rows_;  // activations of all requests in this layer
  int layer_ = -1;
  LayerUse use_;
  std::map<std::string, const StoredTensor*> tensors_;
  std::set<std::string> used_;
  std::vector<Operator> operators_;
};

}  // namespace edgenpu::workload
