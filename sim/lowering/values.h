// What operators hand to each other: how many rows, how wide, in how many bytes an element.
//
// Results of products and vector functions are fp32. What only products read is stored in their operand
// format (int8 or a 16-bit float), what only attention and the KV cache read as 16-bit floats. Left out: the
// scales of int8 activations (one number a row).
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "config/npu.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// Results of products and vector functions are fp32; what feeds a product is stored in its operand format.
inline constexpr std::int64_t kResultBytes = 4;
// What attention computes with: queries, keys, values.
inline constexpr std::int64_t kAttentionBytes = 2;
using workload::operand_bytes;

enum class Place {
  nowhere,     // no result, or one that its producer hands on at once (queries turned in place)
  scratchpad,  //
  dram,        // written there and read again, because it does not fit
  passing,     // taken tile by tile by the function that follows
};

struct Value {
  std::int64_t rows = 0, width = 0, element = kResultBytes;
  Place place = Place::nowhere;
  std::int64_t address = 0;  // in DRAM

  Bytes row() const { return Bytes(width * element); }
  Bytes bytes() const { return row() * rows; }
};

using Consumers = std::vector<std::vector<int>>;  // [operator]
Consumers consumers_of(const workload::Trace& trace);

// Rows that an operator works on, whether it has a result or not.
std::int64_t rows_of(const workload::OperatorBody& body);
// Result bytes of an operator in the resident layout, where nothing is shared; `operand`: bytes of an element
// beside fp32 as which products read it.
std::int64_t resident_result_bytes(const workload::OperatorBody& body, std::int64_t operand);
// Of what no operator makes (input_bytes) the part of one row.
Bytes given_row_bytes(const workload::Operator& op);
// Without places.
std::vector<Value> values_of(const workload::Trace& trace, const Consumers& consumers);

// The function that takes the result of `op` as soon as a tile of it is there: the choice of the best logit,
// and, if they follow, the activation of a feed-forward part and the turning of queries or keys. -1: none.
int follower(const workload::Trace& trace, const Consumers& consumers, int op, const config::Fusion& follow);

// The norm that takes the rows of sum `op` as they appear, and the sum whose rows norm `op` takes so. -1:
// none.
int norm_after(const workload::Trace& trace, int op, const config::Fusion& follow);
int sum_before(const workload::Trace& trace, int op, const config::Fusion& follow);

// Which rows of the result of `producer` rows [first, first + count) of `consumer` need.
struct Rows {
  std::int64_t first = 0, count = 0;
  std::int64_t end() const { return first + count; }
};
Rows rows_read(const workload::OperatorBody& consumer, std::int64_t producer_rows, Rows rows);

}  // namespace edgenpu::lowering
