// Attention over the KV cache, and the write of its new rows.
//
// One KV head serves heads/kv_heads query heads (GQA), so its K and V are read once for the whole group. A
// head's tokens are taken in blocks whose scores fit their place in the scratchpad; with more than one block,
// the partial sums are rescaled when the running maximum changes (online softmax). The scores of the next
// block are computed while the vector engine works on the softmax of this one.
#include <algorithm>

#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

struct Block {
  std::int64_t request, head, first, tokens;  // tokens from the cache
  std::int64_t fresh;                         // new tokens, still in the scratchpad
  bool partial;                               // not the only block of its head
  int softmax = -1;
};

class AttentionLowering {
 public:
  AttentionLowering(Plan& plan, int op, const Attention& body)
      : plan_(plan),
        b_(plan.builder),
        op_(op),
        body_(body),
        place_(plan.map.kv[static_cast<std::size_t>(op)]) {
    group_ = body.heads / body.kv_heads * body.m;
    const std::string& name = plan.trace.operators[static_cast<std::size_t>(op)].name;
    // Cached values that are not 16-bit floats are decoded into them; the scores stay floating point.
    operands_ = b_.operand_pair(body.kv_format == Format::BF16 ? "bf16" : "fp16", name);
    const bool plain = body.kv_format == Format::F16 || body.kv_format == Format::BF16;
    format_ = plain ? std::int8_t{-1} : b_.format(body.kv_format, name);
    rows_per_load_ = std::max<std::int64_t>(1, b_.largest_load() / place_.row);
  }

  void run() {
    std::vector<Block> blocks = divide();
    first_ = plan_.waits_of(op_);
    for (std::size_t i = 0; i <= blocks.size(); ++i) {
      if (i < blocks.size()) scores(blocks[i], i >= 2 ? blocks[i - 2].softmax : -1);
      if (i > 0) values(blocks[i - 1]);
    }
    const std::int64_t outputs = body_.requests * body_.m * body_.heads * body_.head_dim;
    const std::int64_t operations = b_.operations("multiply") + plan_.operand_operations(op_);
    plan_.last[static_cast<std::size_t>(op_)] = b_.vector(
        {outputs, operations, Bytes(outputs * kResultBytes), Bytes(outputs)}, {{last_values_, Wait::data}});
  }

 private:
  std::vector<Block> divide() const {
    const std::int64_t tokens_per_block =
        std::max<std::int64_t>(1, plan_.scores / Bytes(2 * group_ * kResultBytes));
    std::vector<Block> blocks;
    for (std::int64_t r = 0; r < body_.requests; ++r) {
      for (std::int64_t h = 0; h < body_.kv_heads; ++h) {
        const bool partial = body_.cached + body_.m > tokens_per_block;
        for (std::int64_t t = 0; t < body_.cached; t += tokens_per_block)
          blocks.push_back({r, h, t, std::min(tokens_per_block, body_.cached - t), 0, partial});
        // The new tokens join the last block of the head, or make one where nothing is cached.
        if (body_.cached == 0) blocks.push_back({r, h, 0, 0, 0, partial});
        blocks.back().fresh = body_.m;
      }
    }
    return blocks;
  }

  // One product for `tokens` rows of K (which = 0) or V (1).
  int product(int which, std::int64_t tokens, Bytes stored, const Dependencies& waits) {
    MatrixWork w;
    w.m = group_;
    w.n = which == 0 ? tokens : body_.head_dim;
    w.k = which == 0 ? body_.head_dim : tokens;
    w.operands = operands_;
    w.format = format_;
    w.weights = stored;
    w.activations = Bytes(group_ * w.k * 2);
    w.results = Bytes(group_ * w.n * kResultBytes);
    return b_.matrix(w, waits);
  }

  int stream(const Block& block, int which, Dependencies waits) {
    int command = -1;
    for (std::int64_t t = 0; t < block.tokens; t += rows_per_load_) {
      const std::int64_t rows = std::min(rows_per_load_, block.tokens - t);
      const Bytes stored = place_.row * rows;
      const int load =
          b_.load({place_.address(block.request, which, block.head, block.first + t), stored, 1, Bytes(0)});
      Dependencies all{{load, Wait::data}};
      all.insert(all.end(), waits.begin(), waits.end());
      waits.clear();
      command = product(which, rows, stored, all);
      b_.frees(load, command);
    }
    if (block.fresh > 0) command = product(which, block.fresh, place_.row * block.fresh, waits);
    return command;
  }

  void scores(Block& block, int place_reader) {
    Dependencies waits = first_;
    first_.clear();
    if (place_reader >= 0) waits.push_back({place_reader, Wait::space});
    const int scored = stream(block, 0, waits);
    const std::int64_t elements = group_ * (block.tokens + block.fresh);
    const Bytes bytes(elements * kResultBytes);
    block.softmax = b_.vector({elements, b_.operations("softmax"), bytes, bytes}, {{scored, Wait::data}});
    if (!block.partial) return;
    const std::int64_t sums = group_ * body_.head_dim;
    block.softmax =
        b_.vector({sums, b_.operations("rescale"), Bytes(sums * kResultBytes), Bytes(sums * kResultBytes)},
                  {{block.softmax, Wait::data}});
  }

  void values(const Block& block) { last_values_ = stream(block, 1, {{block.softmax, Wait::data}}); }

  Plan& plan_;
  Builder& b_;
  int op_;
  const Attention& body_;
  const KvPlace& place_;
  std::int64_t group_ = 0, rows_per_load_ = 1;
  std::int8_t operands_ = 0, format_ = -1;
  Dependencies first_;
  int last_values_ = -1;
};

}  // namespace

void lower_attention(Plan& plan, int op, const Attention& body) {
  AttentionLowering(plan, op, body).run();
}

void lower_kv_write(Plan& plan, int op, const KvWrite& body) {
  // Each head's new rows are contiguous; heads lie a whole cache apart.
  const KvPlace& place = plan.map.kv[static_cast<std::size_t>(op)];
  const std::int64_t requests = plan.trace.batch;
  const std::int64_t rows = body.m / requests;
  const std::int64_t cached = place.head / place.row - rows;
  const Dependencies waits = plan.waits_of(op);
  int command = -1;
  for (std::int64_t r = 0; r < requests; ++r)
    for (int which = 0; which < 2; ++which)
      command = plan.builder.store(
          {place.address(r, which, 0, cached), place.row * rows, place.kv_heads, place.head}, waits);
  plan.last[static_cast<std::size_t>(op)] = command;
}

}  // namespace edgenpu::lowering
