// Matrix products in the order of loops that their plan says (product_plan.h).
//
// A held block is loaded piece by piece by the first that use it and given back piece by piece by the last,
// so that a block's first products start with its first piece and the next block's pieces follow as the
// places of this one's fall free.
#include <algorithm>

#include "base/rates.h"
#include "lowering/plan.h"
#include "lowering/product_commands.h"

namespace edgenpu::lowering {

using namespace workload;
using config::LoopOrder;

namespace {

// Rows of one copy of the weights.
class CopyLowering {
 public:
  CopyLowering(ProductCommands& commands, const ProductPlan& plan, Rows rows)
      : c_(commands), plan_(plan), rows_(rows), n_(commands.shape().n), k_(commands.shape().k) {}

  void run() {
    if (plan_.order == LoopOrder::weights) return hold_weights();
    for (std::int64_t first = 0; first < rows_.count; first += plan_.m) {
      const Rows block{rows_.first + first, std::min(plan_.m, rows_.count - first)};
      const Purpose purpose = first > 0 ? Purpose::again : Purpose::once;
      c_.load_biases({0, n_}, purpose, true);
      if (plan_.order == LoopOrder::activations)
        hold_activations(block, purpose);
      else
        hold_sums(block, purpose);
    }
  }

 private:
  Span whole() const { return {0, k_}; }
  Span reduction(std::int64_t from) const { return {from, std::min(k_, from + plan_.k)}; }

  void hold_activations(Rows block, Purpose purpose) {
    std::vector<Brought> inputs;  // [tile of the reduction]
    for (std::int64_t n = 0; n < n_; n += plan_.n) {
      const Span outputs{n, std::min(n_, n + plan_.n)};
      int reserved = -1;
      for (std::int64_t k = 0, i = 0; k < k_; k += plan_.k, ++i) {
        const Span part = reduction(k);
        if (n == 0) inputs.push_back(c_.bring(block, part, true, k > 0, false));
        Brought& input = inputs[static_cast<std::size_t>(i)];
        const auto weights = c_.load_weights(outputs, part, false, purpose);
        if (k == 0) reserved = c_.reserve(block, outputs.count(), plan_.k < k_);
        c_.multiply(block, outputs, part, {&weights}, input.waits);
        c_.frees(weights);
        if (outputs.to == n_) c_.frees(input);
      }
      c_.follow(block, outputs, reserved);
    }
  }

  // The places of partial sums are given back piece by piece as the results leave.
  void hold_sums(Rows block, Purpose purpose) {
    for (std::int64_t first = 0; first < n_; first += plan_.n) {
      const Span outputs{first, std::min(n_, first + plan_.n)};
      std::vector<int> reserved;
      for (std::int64_t k = 0; k < k_; k += plan_.k) {
        const Span part = reduction(k);
        Brought input = c_.bring(block, part, false, first > 0 || k > 0, first > 0);
        std::size_t i = 0;
        for (std::int64_t n = outputs.from; n < outputs.to; n += plan_.piece, ++i) {
          const Span piece{n, std::min(outputs.to, n + plan_.piece)};
          const auto weights = c_.load_weights(piece, part, false, purpose);
          if (k == 0) reserved.push_back(c_.reserve(block, piece.count(), true));
          c_.multiply(block, piece, part, {&weights}, input.waits);
          c_.frees(weights);
          if (part.to == k_) c_.follow(block, piece, reserved[i]);
        }
        c_.frees(input);
      }
    }
  }

  void hold_weights() {
    for (std::int64_t from = 0; from < n_; from += plan_.n) {
      const Span block{from, std::min(n_, from + plan_.n)};
      std::vector<Span> spans;
      for (std::int64_t n = block.from; n < block.to; n += plan_.piece)
        spans.push_back({n, std::min(block.to, n + plan_.piece)});
      std::vector<ProductCommands::Weights> pieces;
      c_.load_biases(block, Purpose::once, false);
      for (std::int64_t first = 0; first < rows_.count; first += plan_.m)
        pass_rows({rows_.first + first, std::min(plan_.m, rows_.count - first)}, spans, pieces);
      c_.free_biases();
    }
  }

  // The first rows take a block piece by piece, each loaded just before it, so that its commands stand in
  // short queues too; the last rows give it back so; those between take as many pieces as their results have
  // room for.
  void pass_rows(Rows rows, const std::vector<Span>& spans, std::vector<ProductCommands::Weights>& pieces) {
    const bool first = rows.first == rows_.first, last = rows.end() == rows_.end();
    const bool repeated = spans.front().from > 0;
    Brought input = c_.bring(rows, whole(), false, repeated, repeated);
    const std::int64_t room = c_.columns_with_room(rows.count);
    for (std::size_t i = 0; i < spans.size();) {
      std::size_t end = i + 1;
      while (!first && !last && end < spans.size() && spans[end].to - spans[i].from <= room) ++end;
      const Span outputs{spans[i].from, spans[end - 1].to};
      if (first) pieces.push_back(c_.load_weights(outputs, whole(), true, Purpose::once));
      std::vector<const ProductCommands::Weights*> fresh;
      if (first) fresh.push_back(&pieces[i]);
      const int reserved = c_.reserve(rows, outputs.count(), false);
      c_.multiply(rows, outputs, whole(), fresh, input.waits);
      c_.follow(rows, outputs, reserved);
      for (std::size_t t = i; t < end && last; ++t) c_.frees(pieces[t]);
      i = end;
    }
    c_.frees(input);
  }

  ProductCommands& c_;
  const ProductPlan& plan_;
  Rows rows_;
  std::int64_t n_, k_;
};

void lower_products(Plan& plan, const std::vector<int>& parts, int follower) {
  const PlannedProduct& planned = plan.layout.planned_of(parts[0]);
  plan.builder.divide(planned.division);
  ProductCommands commands(plan, parts, follower);
  commands.begin();
  const MatMul& shape = commands.shape();
  std::int64_t first = 0;
  for (std::int64_t copy = 0; copy < shape.copies; ++copy) {
    const std::int64_t rows = shape.m + shape.extra / shape.copies + (copy < shape.extra % shape.copies);
    CopyLowering(commands, planned.choice.plan, {first, rows}).run();
    commands.next_copy();
    first += rows;
  }
  commands.end();
}

}  // namespace

void lower_matmul(Plan& plan, int op) {
  lower_products(plan, {op}, follower(plan.trace, plan.layout.consumers, op, {false, false, false}));
}

void lower_function_of_products(Plan& plan, int op) {
  lower_products(plan, plan.op(op).needs, op);
}

}  // namespace edgenpu::lowering
