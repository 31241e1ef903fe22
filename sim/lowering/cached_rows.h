// Rows of K and V in the cache, as loads bring them: contiguous, or page by page, each a descriptor of its
// own or several in a gather list.
#pragma once

#include "lowering/attention_blocks.h"
#include "lowering/plan.h"

namespace edgenpu::lowering {

class CachedRows {
 public:
  CachedRows(Plan& plan, int op, const workload::Attention& body);

  Bytes row() const { return place_.row; }
  // Rows from k on that one load brings of those before `end`.
  std::int64_t rows_of_load(std::int64_t k, std::int64_t end) const;
  // `count` rows from k on of K (which = 0) or V (1), for a block's request and head.
  Transfer transfer(const AttentionBlock& block, int which, std::int64_t k, std::int64_t count);

 private:
  std::int64_t paged(std::int64_t k) const;

  Plan& plan_;
  const workload::Attention& body_;
  const KvPlace& place_;
  std::int64_t page_;  // tokens; 0: no pages
  bool gathers_;       // one descriptor brings several pages
};

}  // namespace edgenpu::lowering
