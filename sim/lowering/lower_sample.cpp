// The choice of a token on the chip's CPU from logits that were spilled: a row of them is longer than what a
// load may bring, so it comes in pieces.
#include <algorithm>

#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

void lower_spilled_sample(Plan& plan, int op, const Sample& body) {
  Builder& b = plan.builder;
  const int logits = plan.op(op).needs[0];
  const Value& v = plan.value(logits);
  const std::int64_t piece = std::max<std::int64_t>(1, b.largest_load() / Bytes(v.element));
  int command = -1;
  for (std::int64_t row = 0; row < body.m; ++row) {
    const Rows read = rows_read(plan.op(op).body, v.rows, {row, 1});
    for (std::int64_t from = 0; from < body.vocab; from += piece) {
      const std::int64_t count = std::min(piece, body.vocab - from);
      const Rows columns{from * v.element, count * v.element};
      const Brought in = plan.bring_columns(logits, read, 1, columns, false, false);
      command = b.vector({count, b.operations(VectorFunction::argmax), Bytes(count * kResultBytes), Bytes(0)},
                         in.waits);
      plan.frees(in, command);
    }
  }
  plan.last[static_cast<std::size_t>(op)] = command;
}

}  // namespace edgenpu::lowering
