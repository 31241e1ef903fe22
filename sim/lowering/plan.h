// What the operator families share while a program is being built: where values lie (layout.h), which
// commands produced them, and how rows of them come to a command and leave it.
#pragma once

#include <string>
#include <vector>

#include "base/rates.h"
#include "lowering/builder.h"
#include "lowering/layout.h"
#include "lowering/memory_map.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

// Rows of a result that a command may read.
struct Brought {
  Dependencies waits;
  std::vector<int> loads;  // to be freed by the last reader
};

struct Plan {
  const workload::Trace& trace;
  const config::Npu& npu;
  const MemoryMap& map;
  const Layout& layout;
  Builder& builder;
  std::vector<int> last;  // [operator] command after which its result is complete; -1: none yet
  std::vector<std::vector<std::vector<int>>> ready;  // [operator][granule] commands that complete its rows
  std::vector<bool> stored;                          // [operator] its first store has waited for the place

  const workload::Operator& op(int i) const { return trace.operators[static_cast<std::size_t>(i)]; }
  const Value& value(int i) const { return layout.values[static_cast<std::size_t>(i)]; }
  std::int64_t chunk(int i) const { return chunk_rows(layout, trace, npu, i); }

  // Data dependencies on rows of the result of `op`, or on all of it.
  Dependencies after(int op, Rows rows) const;
  Dependencies after(int op) const { return after(op, {0, value(op).rows}); }
  // Space dependencies on the readers of the results whose places `op` takes over.
  Dependencies displacing(int op) const;
  // Records that `command` completes rows of `op`.
  void completes(int op, Rows rows, int command);

  // Rows of `producer` for a command, `bytes` in all; loaded if they were spilled, into the held ring if many
  // commands read them.
  // `known`: an earlier command of the same unit has waited for them already.
  Brought bring(int producer, Rows rows, Bytes bytes, bool held = false, bool known = false);
  // Of `count` of these rows only the bytes [columns.first, columns.end()) of each.
  Brought bring_columns(int producer, Rows rows, std::int64_t count, Rows columns, bool held, bool known);
  // The same of what a vector function, or a write to the cache, takes that no operator makes: rows one after the other.
  Brought bring_operands(int op, Rows rows);
  // And of attention's queries, `bytes` for rows of one KV head.
  Brought bring_given_queries(int op, Rows rows, Bytes bytes);
  // The same of the rows of product `op` that no operator makes; they lie in memory as spilled ones do.
  Brought bring_given(int op, Rows rows, Rows columns, bool held, Purpose purpose);
  // Lets `command` be the last that reads them.
  void frees(const Brought& brought, int command);

  // Where `command` leaves columns [from, to) of rows of `op`: in the scratchpad, or on the way to DRAM.
  // reserve() before it, deliver() after it; `reserved` is the place in the ring of results, -1 if none is
  // needed.
  int reserve(int op, Rows rows, std::int64_t columns, Dependencies& waits);
  void deliver(int op, Rows rows, std::int64_t from, std::int64_t to, int reserved, int command);

  // Bytes per element that a command writes of a result. The resident layout keeps every result in fp32.
  std::int64_t written_bytes(int op) const { return layout.shared ? value(op).element : kResultBytes; }
  // What it costs to bring a result into the operand format of the products that read it.
  VectorCost operand_cost(int op) const;

 private:
  Brought load_rows(const Value& v, Rows rows, Bytes bytes, const Dependencies& waits, bool held,
                    Purpose purpose);
  Brought load_columns(const Value& v, Rows rows, std::int64_t count, Rows columns, const Dependencies& waits,
                       bool held, Purpose purpose);
  void store(int op, Rows rows, std::int64_t from, std::int64_t to, int reserved, int command);
};

void lower_matmul(Plan& plan, int op);
// The products that function `op` follows, and itself.
void lower_function_of_products(Plan& plan, int op);
void lower_attention(Plan& plan, int op, const workload::Attention& body);
void lower_kv_write(Plan& plan, int op, const workload::KvWrite& body);
void lower_vector(Plan& plan, int op);
void lower_spilled_sample(Plan& plan, int op, const workload::Sample& body);

}  // namespace edgenpu::lowering
