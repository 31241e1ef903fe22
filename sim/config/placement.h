// What a description wants of single operators beside their plans (config/lowering_plan.h): operand formats
// of products, and what runs on the chip's CPU.
//
//   lowering:  {operands: {attn_*: fp16, output: bf16}}   pattern of products: operand pair of matrix.rate
//   cpu:       the cores beside the engines (struct Cores)
//   placement: {cpu: [attn_norm, softmax]}                patterns of operators, or `softmax`
//
// Patterns are those of lowering.plan: * stands for any text; the whole name or the name within its layer;
// the first that fits counts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "vocabulary/operands.h"
#include "vocabulary/vector_function.h"

namespace edgenpu::config {

class Value;

struct OperandChoice {
  std::string pattern;
  Position where;
  vocabulary::Operands operands;
};

// General cores that see the scratchpad over the interconnect: hardware/npu/cores.h.
struct Cores {
  int cores = 0;
  Hertz clock;
  int lanes = 0;             // fp32 operations of a core and cycle
  Femtoseconds handover{0};  // from the command processor to the cores, and back: each
  Bytes line;                // of one access to the scratchpad
  int outstanding = 0;       // accesses that a core has in flight
  Femtoseconds latency{0};   // of an access
  // Lane operations per element of vector functions (and of `decode`) where cores need more, or fewer, than
  // the lanes of the vector engine.
  std::map<vocabulary::VectorFunction, std::int64_t> operations;

  std::int64_t all_lanes() const { return std::int64_t{cores} * lanes; }
  // What all cores together read or write.
  BytesPerSecond rate() const;
};

struct Placed {
  std::string pattern;
  Position where;
};

// `rates`: what the engines multiply.
std::vector<OperandChoice> read_operands(const Value& section,
                                         const std::map<vocabulary::Operands, double>& rates,
                                         Diagnostics& out);
Cores read_cores(const Value& section, Diagnostics& out);
std::vector<Placed> read_placement(const Value& section, bool has_cores, Diagnostics& out);

}  // namespace edgenpu::config
