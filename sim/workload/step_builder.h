// Builds the operators of one step; the inner part of generate.h, which holds the contract.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workload/generate.h"

namespace edgenpu::workload {

struct Step {
  std::int64_t requests, tokens, context;  // `tokens` new ones of each request
  Format kv_format;
};

class StepBuilder {
 public:
  StepBuilder(const StoredModel& stored, const Step& step);

  std::vector<Operator> build();

 private:
  // Each adds one operator or a group, and returns the index of the one that holds the result.
  int add(const std::string& name, std::vector<int> needs, OperatorBody body);
  int embed();
  int norm(const std::string& stem, int input, std::int64_t rows);
  int head_norm(const std::string& stem, int input, std::int64_t heads);
  int matmul(const std::string& stem, std::vector<int> needs, std::int64_t rows, std::int64_t copies = 1);
  int rope(const std::string& name, int input, std::int64_t heads);
  int sum(const std::string& name, int a, int b);
  int attention(int input);
  int ffn(int input);
  int experts(int input);
  int layer(int input);
  int parallel_layer(int input);
  void head(int input);

  std::string prefix() const;
  const StoredTensor* find(const std::string& name) const;
  const StoredTensor& tensor(const std::string& name) const;
  Bytes bias_bytes(const std::string& stem) const;

  const Model& model_;
  Step step_;
  std::int64_t rows_;  // activations of all requests
  int layer_ = -1;
  std::map<std::string, const StoredTensor*> tensors_;
  std::vector<Operator> operators_;
};

}  // namespace edgenpu::workload
