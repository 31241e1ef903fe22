// A decoder-only transformer run from a GGUF file's weights: prefill of any number of tokens and decode one
// by one, over one KV cache, in any arithmetic. Reference code: it shows what is computed, step by step; time
// and energy are no matter here.
//
// Shapes: tokens in, logits [tokens][vocabulary] out. Errors: InputError for a token outside the vocabulary.
// Left out: batches of several requests, tokenisers, sampling other than greedy.
#pragma once

#include <memory>
#include <vector>

#include "numerics/architecture.h"
#include "numerics/arithmetic.h"
#include "numerics/kv_cache.h"
#include "numerics/weights.h"

namespace edgenpu::numerics {

// What a file describes, loaded once and shared by runs in several arithmetics.
struct LoadedModel {
  explicit LoadedModel(const std::string& path);

  workload::GgufFile file;
  Architecture architecture;
  Weights weights;
};

class Transformer {
 public:
  // Both must outlive the transformer.
  Transformer(const LoadedModel& model, const Arithmetic& arithmetic, Format kv_format);

  // Runs the tokens after those seen so far; each row of the result predicts the token that follows.
  Rows forward(const std::vector<std::int32_t>& tokens);

  std::int64_t position() const { return position_; }
  std::int64_t vocabulary() const { return model_.weights.embedding.rows; }
  const KvCache& cache() const { return cache_; }

 private:
  Rows embed(const std::vector<std::int32_t>& tokens) const;
  Rows linear(const Linear& l, const Rows& x) const;
  Rows attention(std::int64_t layer, const Rows& normed);
  void attend_head(std::int64_t layer, std::int64_t kv_head, const Rows& q, Rows& out) const;
  void mask_and_weigh(std::int64_t layer, Rows& scores) const;
  Rows feed_forward(const Layer& layer, const Rows& normed) const;
  Rows gated(const Matrix& gate, const Matrix& up, const Matrix& down, const Rows& x) const;
  Rows mixture(const Layer& layer, const Rows& x) const;
  void add_shared_expert(const Layer& layer, const Rows& x, Rows& out) const;
  void activate(Rows& x) const;
  const Vector& rope_factors() const;

  const LoadedModel& model_;
  const Arithmetic& arithmetic_;
  KvCache cache_;
  std::int64_t position_ = 0;
};

// Index of the largest logit of a row; the first if there are several.
std::int32_t greedy(const Rows& logits, Eigen::Index row);

}  // namespace edgenpu::numerics
