// What the engines do in attention, for the queries and keys of a part.
#pragma once

#include "lowering/attention_blocks.h"
#include "lowering/plan.h"

namespace edgenpu::lowering {

// Whether any query of a part sees a key of [first, end).
bool sees(const workload::Attention& body, const AttentionBlock& part, std::int64_t first, std::int64_t end);

// The product of a part's queries with rows [first, end) of K (which = 0) or V (1), without the formats.
MatrixWork product_work(Plan& plan, const workload::Attention& body, const AttentionBlock& part, int which,
                        std::int64_t first, std::int64_t end);

// Of the scores that are seen, each query's row by itself.
VectorWork softmax_work(const Builder& builder, const workload::Attention& body, const AttentionBlock& part);

// The sums of earlier keys, when the running maximum has changed.
VectorWork rescale_work(const Builder& builder, const workload::Attention& body, const AttentionBlock& part);
Bytes sums_of(const workload::Attention& body, const AttentionBlock& part);

}  // namespace edgenpu::lowering
