#include "lowering/program_size.h"

#include "base/rates.h"
#include "lowering/attention_blocks.h"
#include "lowering/attention_work.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

class AttentionCount {
 public:
  AttentionCount(const Trace& trace, const config::Npu& npu, const Layout& layout, const Builder& builder,
                 int op)
      : op_(trace.operators[static_cast<std::size_t>(op)]),
        npu_(npu),
        builder_(builder),
        one_(std::get<Attention>(op_.body)),
        queries_(query_block(layout, trace, npu, op)),
        scores_(layout.scores),
        from_cache_(keys_from_dram(layout, trace, op)) {
    alike_ = one_.requests * one_.kv_heads;
    one_.heads /= one_.kv_heads;
    one_.requests = one_.kv_heads = 1;
    const std::int64_t row = std::max<std::int64_t>(1, row_bytes(one_.kv_format, one_.head_dim).count());
    rows_of_load_ = std::max<std::int64_t>(1, builder.largest_load().count() / row);
  }

  // Requests and heads are alike. Nothing where no query fits: the lowering refuses that.
  std::int64_t run() {
    if (queries_ < 1) return 0;
    std::int64_t commands = 0, part = 1;
    each_attention_block(one_, queries_, scores_, [&](const AttentionBlock& block) {
      if (block.opens) part = queries_of_part(block, op_, npu_);
      commands += of_block(block, part);
    });
    return commands * alike_;
  }

 private:
  // Vector commands of one function over a part.
  std::int64_t pieces(const AttentionBlock& part, const VectorWork& work) const {
    return ceil_div(part.queries(), ceil_div(part.queries(), builder_.pipelines_for(work)));
  }

  std::int64_t of_block(const AttentionBlock& block, std::int64_t queries) const {
    const std::int64_t streamed_end = from_cache_ ? block.end : std::min(block.end, one_.cached);
    const std::int64_t streamed = std::max<std::int64_t>(0, streamed_end - block.first);
    const std::int64_t loads = ceil_div(streamed, rows_of_load_);
    const std::int64_t products = loads + (streamed < block.keys() ? 1 : 0);
    const std::int64_t parts = ceil_div(block.queries(), queries);
    AttentionBlock part = block;
    part.to = std::min(block.to, block.from + queries);
    std::int64_t functions = pieces(part, softmax_work(builder_, one_, part));
    if (!block.opens || !block.closes) functions += pieces(part, rescale_work(builder_, one_, part));
    if (block.closes && builder_.has_outputs()) ++functions;
    return 2 * loads + parts * (2 * products + functions);
  }

  const Operator& op_;
  const config::Npu& npu_;
  const Builder& builder_;
  Attention one_;  // one request and one KV head of it
  std::int64_t queries_;
  Bytes scores_;
  bool from_cache_;
  std::int64_t alike_ = 1, rows_of_load_ = 1;
};

std::int64_t products_of(const PlannedProduct& planned) {
  const Product& p = planned.product;
  const ProductPlan& plan = planned.choice.plan;
  const std::int64_t row_blocks = p.copies * ceil_div(p.rows, plan.m);
  return row_blocks * ceil_div(p.n, plan.width(p)) * ceil_div(p.k, plan.k) *
         static_cast<std::int64_t>(p.parts.size());
}

}  // namespace

std::int64_t least_commands(const Trace& trace, const config::Npu& npu, const Layout& layout,
                            const Builder& builder) {
  std::int64_t commands = 0;
  for (std::size_t i = 0; i < trace.operators.size(); ++i)
    if (std::holds_alternative<Attention>(trace.operators[i].body))
      commands += AttentionCount(trace, npu, layout, builder, static_cast<int>(i)).run();
  for (const PlannedProduct& p : layout.products)
    commands += 2 * products_of(p) * static_cast<std::int64_t>(p.operators.size());
  return commands;
}

// Measured for prompts of 1024 to 4096 tokens of models of 135M and 8B: 224 to 237 bytes a command at the peak. By
// its parts: 24 B, two dependencies of 8, 68 of work, all of it twice.
Bytes least_memory(std::int64_t commands) {
  constexpr std::int64_t kBytesOfCommand = 200;
  return Bytes(kBytesOfCommand) * commands;
}

}  // namespace edgenpu::lowering
