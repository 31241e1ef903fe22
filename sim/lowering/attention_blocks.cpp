#include "lowering/attention_blocks.h"

#include <algorithm>

#include "base/rates.h"
#include "timing/matrix_array.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

// Keys of a block, if so many fit, in elements of a head: the sums, which are rescaled for each block, are
// then a quarter of the scores. Assumed.
constexpr std::int64_t kKeysPerHeadDim = 4;

double rate(const Operator& op, const config::Npu& npu) {
  const auto found = npu.matrix.rate.find(operands_of(op).value());
  return found == npu.matrix.rate.end() ? 1 : found->second;  // refused when commands are made
}

void divide_keys(AttentionBlock block, const Attention& body, std::int64_t keys_per_block,
                 const std::function<void(const AttentionBlock&)>& take) {
  const std::int64_t last = body.cached + block.to;
  const std::int64_t oldest = oldest_key(body, block.from);
  for (std::int64_t k = oldest; k < last;) {
    block.first = k;
    block.end = std::min(last, k + keys_per_block);
    // One new key that is left over joins.
    if (last - block.end == 1 && body.m == 1) block.end = last;
    block.opens = k == oldest;
    block.closes = block.end == last;
    take(block);
    k = block.end;
  }
}

// Cycles of the matrix engines for both products of `queries` queries.
std::int64_t cycles(std::int64_t queries, std::int64_t keys, const Attention& body, const config::Npu& npu,
                    double products_per_cycle) {
  const timing::MatrixArray array = timing::array_of(npu.matrix, products_per_cycle);
  const std::int64_t rows = queries * (body.heads / body.kv_heads);
  const auto one = [&](std::int64_t n, std::int64_t k) {
    config::Split split = npu.matrix.split;
    if (split == config::Split::best) split = timing::best_split(array, npu.matrix.engines, rows, n, k);
    return timing::split_cycles(array, split, npu.matrix.engines, rows, n, k).count();
  };
  return one(keys, body.head_dim) + one(body.head_dim, keys);
}

}  // namespace

std::int64_t oldest_key(const Attention& body, std::int64_t query) {
  return body.window == 0 ? 0 : std::max<std::int64_t>(0, body.cached + query + 1 - body.window);
}

bool keys_from_dram(const Layout& layout, const Trace& trace, int op) {
  const auto& needs = trace.operators[static_cast<std::size_t>(op)].needs;
  if (input_bytes(trace.operators[static_cast<std::size_t>(op)]) > Bytes(0)) return true;
  for (std::size_t i = 1; i < needs.size(); ++i)
    if (layout.values[static_cast<std::size_t>(needs[i])].place == Place::dram) return true;
  return false;
}

std::int64_t query_block(const Layout& layout, const Trace& trace, const config::Npu& npu, int op) {
  const Operator& self = trace.operators[static_cast<std::size_t>(op)];
  const auto& body = std::get<Attention>(self.body);
  std::int64_t limit = row_limit(layout, trace, npu, op);
  if (limit < 1) return 0;
  const std::int64_t group = body.heads / body.kv_heads;
  const std::int64_t keys = std::min(body.cached + body.m, kKeysPerHeadDim * body.head_dim);
  limit = std::min(limit, std::max<std::int64_t>(1, layout.scores / Bytes(2 * group * keys * kResultBytes)));
  if (body.cached == 0 && !keys_from_dram(layout, trace, op))
    limit = std::min(limit, queries_of_part({0, 0, 0, body.m, 0, body.m}, self, npu));
  return limit >= body.m ? body.m : whole_rows(limit);
}

std::vector<AttentionBlock> attention_blocks(const Attention& body, std::int64_t queries, Bytes scores) {
  std::vector<AttentionBlock> blocks;
  each_attention_block(body, queries, scores, [&](const AttentionBlock& b) { blocks.push_back(b); });
  return blocks;
}

void each_attention_block(const Attention& body, std::int64_t queries, Bytes scores,
                          const std::function<void(const AttentionBlock&)>& take) {
  const std::int64_t group = body.heads / body.kv_heads;
  std::int64_t keys = std::max<std::int64_t>(1, scores / Bytes(2 * group * queries * kResultBytes));
  const std::int64_t enough = kKeysPerHeadDim * body.head_dim;
  if (queries < body.m && keys > enough && body.cached + body.m > keys) keys = enough;
  for (std::int64_t r = 0; r < body.requests; ++r)
    for (std::int64_t from = 0; from < body.m; from += queries)
      for (std::int64_t h = 0; h < body.kv_heads; ++h)
        divide_keys({r, h, from, std::min(body.m, from + queries)}, body, keys, take);
}

std::int64_t queries_of_part(const AttentionBlock& block, const Operator& op, const config::Npu& npu) {
  const auto& body = std::get<Attention>(op.body);
  const double products_per_cycle = rate(op, npu);
  constexpr std::int64_t kLoss = 32;  // assumed
  const std::int64_t all = block.queries(), group = body.heads / body.kv_heads;
  const std::int64_t whole = cycles(all, block.keys(), body, npu, products_per_cycle);
  std::int64_t part = all;
  while (part > 1 && part * group * block.keys() * kResultBytes > npu.vector_command.count()) {
    const std::int64_t less = ceil_div(part, 2);
    const std::int64_t longer =
        cycles(less, block.keys(), body, npu, products_per_cycle) * ceil_div(all, less);
    if (longer > whole + whole / kLoss) break;
    part = less;
  }
  return part;
}

std::vector<AttentionBlock> parts_of(const AttentionBlock& block, std::int64_t queries) {
  std::vector<AttentionBlock> parts;
  for (std::int64_t from = block.from; from < block.to; from += queries) {
    parts.push_back(block);
    parts.back().from = from;
    parts.back().to = std::min(block.to, from + queries);
  }
  return parts;
}

}  // namespace edgenpu::lowering
