// What the vector engine does in attention, for the queries and keys of a part.
#pragma once

#include "lowering/attention_blocks.h"
#include "lowering/builder.h"

namespace edgenpu::lowering {

// Of the scores that are seen, each query's row by itself.
VectorWork softmax_work(const Builder& builder, const workload::Attention& body, const AttentionBlock& part);

// The sums of earlier keys, when the running maximum has changed.
VectorWork rescale_work(const Builder& builder, const workload::Attention& body, const AttentionBlock& part);
Bytes sums_of(const workload::Attention& body, const AttentionBlock& part);

}  // namespace edgenpu::lowering
