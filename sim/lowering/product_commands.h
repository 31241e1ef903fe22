// The commands of a matrix product, whatever the order of its loops (lower_matmul.cpp): loads of weights,
// biases and activations, the products of a tile, and what follows them. Where several products are taken
// together by one activation function, each command stands for one of each.
#pragma once

#include <vector>

#include "lowering/plan.h"
#include "lowering/product_plan.h"

namespace edgenpu::lowering {

// [from, to) of the outputs or of the reduction.
struct Span {
  std::int64_t from = 0, to = 0;
  std::int64_t count() const { return to - from; }
};

class ProductCommands {
 public:
  // `parts` read the same rows; `follower` takes their results tile by tile (-1: they stay or are stored).
  ProductCommands(Plan& plan, const std::vector<int>& parts, int follower);

  const workload::MatMul& shape() const { return *parts_[0].body; }
  // Begins with what concerns all commands, ends by naming the last ones.
  void begin();
  void next_copy();
  void end();

  // Rows of the input, elements `k`, if they were spilled or lie in memory from the start; what to wait for.
  // `known`: an earlier command has waited for their producer. `repeated`: it has read these elements.
  Brought bring(Rows rows, Span k, bool held, bool known, bool repeated);
  void frees(const Brought& brought) { plan_.frees(brought, command_); }

  // Loads of each part.
  struct Weights {
    std::vector<std::vector<int>> loads;  // [part]
  };
  Weights load_weights(Span outputs, Span k, bool held, Purpose purpose);
  void frees(const Weights& weights);

  // The accumulators start with the bias: it is waited for by the next products of its part. `once`: and
  // freed by them.
  void load_biases(Span outputs, Purpose purpose, bool once);
  void free_biases();

  // Room for results on their way, or for partial sums; -1 if none is needed.
  int reserve(Rows rows, std::int64_t columns, bool summed);

  // Products of each part with the weights of `fresh`, which nothing has waited for yet, and of others.
  void multiply(Rows rows, Span outputs, Span k, const std::vector<const Weights*>& fresh,
                Dependencies& inputs);
  // Hands results on: to the follower's command, to their place, or to DRAM.
  void follow(Rows rows, Span outputs, int reserved);

  // Outputs whose results, for `rows`, fit twice into the ring of results.
  std::int64_t columns_with_room(std::int64_t rows) const;
  std::int64_t pass() const { return outputs_per_pass(plan_.npu); }

 private:
  struct Part {
    int op;
    const workload::MatMul* body;
    MatrixWork work;           // what all its commands share
    std::int64_t address = 0;  // of the current copy's matrix
    int bias = -1;             // its load, until a command has taken it
    Bytes row() const { return body->stored_row(); }
    // Where element k of a row of weights begins.
    Bytes offset(std::int64_t k) const { return Bytes(row().count() * k / body->k); }
  };

  Part part(int op) const;
  bool leaves() const;
  std::vector<int> load_part(const Part& p, Span outputs, Span k, bool held, Purpose purpose);
  int product(const Part& p, Rows rows, Span outputs, Span k, const Dependencies& waits);
  void choose_best(Rows rows, Span outputs, int reserved);
  void take_over(Rows rows, Span outputs, int reserved);

  Plan& plan_;
  Builder& b_;
  std::vector<Part> parts_;
  int follower_, result_;
  config::Split split_;
  bool sampled_ = false, free_bias_ = false;
  Dependencies first_;  // of the first commands
  Dependencies room_;   // of the next commands, for the place of their results
  Dependencies done_;   // the products that are to be followed
  int command_ = -1, epilogue_ = -1, earlier_epilogue_ = -1;
};

}  // namespace edgenpu::lowering
