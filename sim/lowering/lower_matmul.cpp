// Matrix products: the weights stream once, in tiles of whole rows.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"
#include "lowering/plan.h"
#include "workload/arithmetic.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

// Rows per tile: as many as a load may bring; full passes of all engines' rows where that many fit.
std::int64_t rows_per_tile(const Plan& plan, const Operator& op, const MatMul& body) {
  const Bytes row = row_bytes(body.format, body.k);
  const Bytes largest = plan.builder.largest_load();
  const std::int64_t rows = largest / row;
  if (rows < 1)
    throw InfeasibleError(
        fmt::format("{}: one row of {} B does not fit a load of {} B (half of what the scratchpad of {} B "
                    "leaves beside activations)",
                    op.name, row.count(), largest.count(), plan.builder.npu().scratchpad.size.count()));
  const std::int64_t pass = plan.builder.npu().matrix.engines * plan.builder.npu().matrix.rows;
  return rows >= pass ? rows / pass * pass : rows;
}

// The operator that only takes the best of this product's outputs, if there is one.
int sampler_of(const Plan& plan, int op) {
  const auto& readers = plan.consumers[static_cast<std::size_t>(op)];
  const bool sampled =
      readers.size() == 1 &&
      std::holds_alternative<Sample>(plan.trace.operators[static_cast<std::size_t>(readers[0])].body);
  return sampled ? readers[0] : -1;
}

}  // namespace

void lower_matmul(Plan& plan, int op, const MatMul& body) {
  Builder& b = plan.builder;
  const Operator& description = plan.trace.operators[static_cast<std::size_t>(op)];
  const Arithmetic a = arithmetic(body.format);
  const std::int64_t rows = rows_per_tile(plan, description, body);
  const Bytes row = row_bytes(body.format, body.k);
  MatrixWork work;
  work.m = body.m;
  work.k = body.k;
  work.operands = b.operand_pair(a.operands, description.name);
  work.format = b.format(body.format, description.name);
  const int sampler = sampler_of(plan, op);
  Dependencies first = plan.waits_of(op);
  std::int64_t address = plan.map.weights[static_cast<std::size_t>(op)];
  int command = -1, argmax = -1, earlier_argmax = -1;
  for (std::int64_t copy = 0; copy < body.copies; ++copy) {
    int bias = -1;
    if (body.bias_bytes > Bytes(0)) {
      bias = b.load({address, body.bias_bytes, 1, Bytes(0)});
      address += body.bias_bytes.count();
    }
    for (std::int64_t done = 0; done < body.n; done += rows) {
      work.n = std::min(rows, body.n - done);
      work.weights = row * work.n;
      work.activations = Bytes(body.m * body.k * operand_bytes(body.format));
      work.results = Bytes(body.m * work.n * kResultBytes);
      const int load = b.load({address, work.weights, 1, Bytes(0)});
      address += work.weights.count();
      Dependencies waits{{load, Wait::data}};
      // The first command takes the bias into the accumulators' initial values, which frees its place.
      if (bias >= 0) waits.push_back({bias, Wait::data});
      waits.insert(waits.end(), first.begin(), first.end());
      first.clear();
      if (earlier_argmax >= 0) waits.push_back({earlier_argmax, Wait::space});
      command = b.matrix(work, waits);
      b.frees(load, command);
      if (bias >= 0) b.frees(bias, command);
      bias = -1;
      if (sampler < 0) continue;
      const Builder::OperatorScope scope(b, sampler);
      earlier_argmax = argmax;
      argmax = b.vector({body.m * work.n, b.operations("argmax"), work.results, Bytes(0)},
                        {{command, Wait::data}});
    }
  }
  plan.last[static_cast<std::size_t>(op)] = command;
  if (sampler >= 0) plan.last[static_cast<std::size_t>(sampler)] = argmax;
}

}  // namespace edgenpu::lowering
