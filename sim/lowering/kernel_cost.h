// Instructions of one operator under a runtime, and over how many rows they spread.
#pragma once

#include <string>

#include "config/runtime.h"
#include "workload/operator.h"

namespace edgenpu::lowering {

struct KernelCost {
  config::Instructions work;  // all rows together
  std::int64_t rows = 1;
};

class CostModel {
 public:
  explicit CostModel(const config::Runtime& runtime) : runtime_(runtime) {}

  // Throws InfeasibleError that names `op` if the runtime has no kernel for its format.
  KernelCost of(const workload::Operator& op) const;
  // Bringing the input of a product into int8; zero rows if its kernel needs none.
  KernelCost quantisation(const workload::MatMul& product) const;

 private:
  KernelCost product(const workload::MatMul& o, const std::string& name) const;
  KernelCost attention(const workload::Attention& o, const std::string& name) const;
  KernelCost elements(workload::VectorFunction function, std::int64_t rows, std::int64_t width) const;
  const config::Instructions& format(vocabulary::Format f, const std::string& name) const;

  const config::Runtime& runtime_;
};

// Products of these weights are integer products under a runtime that quantises activations.
bool is_integer_product(vocabulary::Format weights);

}  // namespace edgenpu::lowering
