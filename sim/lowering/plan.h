// What the operator families share while a program is being built.
#pragma once

#include <string>
#include <vector>

#include "lowering/builder.h"
#include "lowering/memory_map.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// Bytes of an activation in the scratchpad: results of products and vector functions are fp32; what feeds a
// product is stored in the product's operand format besides.
inline constexpr std::int64_t kResultBytes = 4;
std::int64_t operand_bytes(workload::Format weights);

struct Plan {
  const workload::Trace& trace;
  const MemoryMap& map;
  Builder& builder;
  std::vector<int> last;  // [operator] command after which its result is complete; -1: none yet
  std::vector<std::vector<int>> consumers;  // [operator]
  std::vector<int> predecessor;             // [operator] the same operator one layer before; -1: none
  Bytes scores{0};                          // scratchpad for one block of attention scores

  // Data dependencies on everything that operator `op` needs, and space dependencies on the readers of the
  // result whose place it takes over.
  Dependencies waits_of(int op) const;
  // Lane operations per element for bringing a result into the operand format of the products that read it.
  std::int64_t operand_operations(int op) const;
};

// The scratchpad bytes that activations take: computed before the ring gets the rest.
Bytes activation_bytes(const workload::Trace& trace);
std::vector<std::vector<int>> consumers_of(const workload::Trace& trace);
std::vector<int> predecessors_of(const workload::Trace& trace);

void lower_matmul(Plan& plan, int op, const workload::MatMul& body);
void lower_attention(Plan& plan, int op, const workload::Attention& body);
void lower_kv_write(Plan& plan, int op, const workload::KvWrite& body);
void lower_vector(Plan& plan, int op, const workload::OperatorBody& body);

}  // namespace edgenpu::lowering
