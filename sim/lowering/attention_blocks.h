// How attention is divided: blocks of queries and keys of one KV head, whose scores have room in the
// scratchpad, and the parts of a block that commands work on.
//
// A block decides what is read how often; a part, what the vector engine must wait for. Parts have the same
// size for every scratchpad (scores of attention_part()), so that larger blocks do not make the engines wait
// longer for each other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lowering/layout.h"

namespace edgenpu::lowering {

// Keys from `first` to `end` of one head, for queries [from, to); keys count from the oldest cached one.
struct AttentionBlock {
  std::int64_t request = 0, head = 0, from = 0, to = 0, first = 0, end = 0;
  bool opens = false, closes = false;  // the first and the last block of its queries
  std::int64_t queries() const { return to - from; }
  std::int64_t keys() const { return end - first; }
};

// The oldest key that `query` sees, counted from the oldest cached one.
std::int64_t oldest_key(const workload::Attention& body, std::int64_t query);

// Whether new keys and values are read from the cache: they were spilled and written to it, or no operator makes them.
bool keys_from_dram(const Layout& layout, const workload::Trace& trace, int op);

// In the order in which they are worked through: all heads of a block of queries, all keys of a head.
// `queries`: of a block; `scores`: room for two blocks.
std::vector<AttentionBlock> attention_blocks(const workload::Attention& body, std::int64_t queries,
                                             Bytes scores);
// The same one by one: their number grows with the square of the prompt.
void each_attention_block(const workload::Attention& body, std::int64_t queries, Bytes scores,
                          const std::function<void(const AttentionBlock&)>& take);

// Queries of a command for `block`: as few as give the vector engine 32 KiB of scores, unless the matrix
// engines would take more than a thirty-second (assumed) longer for several such commands than for one.
std::int64_t queries_of_part(const AttentionBlock& block, const workload::Operator& op,
                             const config::Npu& npu);

// `block` in parts of so many queries, the last with what is left.
std::vector<AttentionBlock> parts_of(const AttentionBlock& block, std::int64_t queries);

}  // namespace edgenpu::lowering
