// Attention over the KV cache and the new tokens.
//
// One KV head serves heads/kv_heads query heads (GQA), so its K and V are read once for the whole group and
// for a block of queries. Its keys are taken in blocks whose scores fit their place in the scratchpad; with
// more than one block, the partial sums are rescaled when the running maximum changes (online softmax). The
// scores of the next block are computed while the vector engine works on the softmax of this one. Masked
// products are not computed: each query's row of a product ends at its own key and, with a sliding window,
// starts at the oldest key that it sees (program.h, Band).
//
// Cached rows are read from DRAM once, for the first block of queries, and again for each other block. New
// rows of K and V come from the scratchpad where they fit, and from the cache that they were just written to
// where not.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/error.h"
#include "lowering/attention_blocks.h"
#include "lowering/attention_work.h"
#include "lowering/cached_rows.h"
#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

using Block = AttentionBlock;

// A block on its way: its parts, and of each the last command of both products and the one that ends its
// softmax; -1: it sees none of the keys.
struct UnderWay {
  UnderWay(const Block& b, std::int64_t queries) : block(b), parts(parts_of(b, queries)) {
    softmax.assign(parts.size(), -1);
    products = {softmax, softmax};
  }
  int last_softmax() const { return *std::max_element(softmax.begin(), softmax.end()); }

  Block block;
  std::vector<Block> parts;
  std::vector<int> softmax;
  std::array<std::vector<int>, 2> products;
};

class AttentionLowering {
 public:
  AttentionLowering(Plan& plan, int op, const Attention& body)
      : plan_(plan),
        b_(plan.builder),
        op_(op),
        body_(body),
        cache_(plan, op, body),
        group_(body.heads / body.kv_heads) {
    const std::string& name = plan.op(op).name;
    on_cores_ = plan.op(op).runs_on == RunsOn::cores;
    // Cached values that are not 16-bit floats are decoded into them; the scores stay floating point.
    if (!on_cores_) operands_ = b_.operand_pair(operands_of(plan.op(op)).value(), name);
    const bool plain = body.kv_format == Format::F16 || body.kv_format == Format::BF16;
    format_ = plain || on_cores_ ? std::int8_t{-1} : b_.format(body.kv_format, name);
    queries_ = queries_per_block();
    find_new_rows();
  }

  void run() {
    std::vector<UnderWay> blocks;
    std::int64_t part = 1;
    for (const Block& block : attention_blocks(body_, queries_, plan_.layout.scores)) {
      if (block.opens) part = queries_of_part(block, plan_.op(op_), plan_.npu);
      blocks.emplace_back(block, part);
    }
    first_ = start_waits();
    for (std::size_t i = 0; i <= blocks.size(); ++i) {
      UnderWay* next = i < blocks.size() ? &blocks[i] : nullptr;
      UnderWay* before = i > 0 ? &blocks[i - 1] : nullptr;
      if (next) begin_scores(*next, i >= 2 ? blocks[i - 2].last_softmax() : -1);
      if (before) begin_values(*before);
      advance(next, before);
    }
    if (!b_.has_outputs()) finish_all();
    b_.releases_scores(values_.back());
  }

 private:
  std::int64_t queries_per_block() const {
    const std::int64_t queries = query_block(plan_.layout, plan_.trace, plan_.npu, op_);
    if (queries < 1)
      throw InfeasibleError(fmt::format(
          "{}: scores of {} query heads for 32 keys do not fit their place in the scratchpad, {} B",
          plan_.op(op_).name, group_, plan_.layout.scores.count()));
    return queries;
  }

  // New rows of K and V that were spilled are read from the cache.
  void find_new_rows() {
    const auto& needs = plan_.op(op_).needs;
    from_cache_ = keys_from_dram(plan_.layout, plan_.trace, op_);
    given_ = plan_.map.inputs[static_cast<std::size_t>(op_)] >= 0;
    if (!from_cache_ || given_) return;
    for (int i = op_ - 1; i >= 0 && writer_ < 0; --i)
      if (std::holds_alternative<KvWrite>(plan_.op(i).body) && plan_.op(i).layer == plan_.op(op_).layer)
        writer_ = i;
    if (writer_ < 0)
      throw InfeasibleError(fmt::format(
          "{}: {} B of new keys and values do not fit the scratchpad, and no kv_write before it stores them",
          plan_.op(op_).name, plan_.value(needs[1]).bytes().count()));
  }

  Dependencies start_waits() const {
    Dependencies waits;
    const auto& needs = plan_.op(op_).needs;
    // Queries come block by block where they were spilled, and so do keys and values.
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (plan_.value(needs[i]).place == Place::dram) continue;
      const Dependencies more = plan_.after(needs[i]);
      waits.insert(waits.end(), more.begin(), more.end());
    }
    const Dependencies space = plan_.displacing(op_);
    waits.insert(waits.end(), space.begin(), space.end());
    b_.reserve_scores(waits);
    return waits;
  }

  // A part's product with rows [first, end), and the function that follows the block's last one.
  void one_part(UnderWay& u, int which, std::size_t p, std::int64_t first, std::int64_t end) {
    Dependencies& waits = waits_[which];
    if (sees(body_, u.parts[p], first, end)) {
      if (which == 1 && u.products[1][p] < 0 && u.softmax[p] >= 0)
        waits.push_back({u.softmax[p], Wait::data});
      MatrixWork work = product_work(plan_, body_, u.parts[p], which, first, end);
      work.operands = operands_;
      work.format = format_;
      u.products[which][p] =
          on_cores_ ? b_.product_on_cores(work, body_.kv_format, waits) : b_.matrix(work, waits);
      waits.clear();
    }
    if (end < u.block.end) return;
    which == 0 ? scored(u, p) : added(u, p);
  }

  void all_parts(UnderWay& u, int which, std::int64_t first, std::int64_t end) {
    for (std::size_t p = 0; p < u.parts.size(); ++p) one_part(u, which, p, first, end);
  }

  // Rows [first, end) that lie in the cache, in loads.
  void stream(UnderWay& u, int which, std::int64_t first, std::int64_t end) {
    const Block& block = u.block;
    for (std::int64_t k = first, rows = 0; k < end; k += rows) {
      rows = cache_.rows_of_load(k, end);
      Transfer t = cache_.transfer(block, which, k, rows);
      Dependencies written;
      if (first >= body_.cached && !given_)
        written = plan_.after(writer_, {block.request * body_.m + k - body_.cached, rows});
      if (read_before(block, first)) t.purpose = Purpose::again;
      const int load = b_.load(t, written);
      waits_[which].insert(waits_[which].begin(), {load, Wait::data});
      all_parts(u, which, k, k + rows);
      b_.frees(load, last_product(u, which));
    }
  }

  // Rows from `first` on: cached ones by the first queries, given ones by the queries that they came with, spilled
  // ones when they were on the chip.
  bool read_before(const Block& block, std::int64_t first) const {
    if (first < body_.cached) return block.from > 0;
    return !given_ || first < body_.cached + block.from;
  }

  void all_products(UnderWay& u, int which) {
    const std::int64_t cached_end = std::min(u.block.end, body_.cached);
    if (u.block.first < cached_end) stream(u, which, u.block.first, cached_end);
    const std::int64_t fresh = std::max(u.block.first, body_.cached);
    if (fresh >= u.block.end) return;
    if (given_) {
      const std::int64_t own = std::clamp(body_.cached + u.block.from, fresh, u.block.end);
      if (fresh < own) stream(u, which, fresh, own);
      if (own < u.block.end) stream(u, which, own, u.block.end);
      return;
    }
    from_cache_ ? stream(u, which, fresh, u.block.end) : all_parts(u, which, fresh, u.block.end);
  }

  bool on_chip(const UnderWay& u) const { return !from_cache_ && u.block.first >= body_.cached; }

  // Scores of the next block beside the values of the one before it: part by part where both lie on the chip,
  // so that short queues suffice to keep the vector engine busy.
  void advance(UnderWay* next, UnderWay* before) {
    if (!next || !before || !on_chip(*next) || !on_chip(*before)) {
      if (next) all_products(*next, 0);
      if (before) all_products(*before, 1);
      return;
    }
    for (std::size_t p = 0; p < std::max(next->parts.size(), before->parts.size()); ++p) {
      if (p < next->parts.size()) one_part(*next, 0, p, next->block.first, next->block.end);
      if (p < before->parts.size()) one_part(*before, 1, p, before->block.first, before->block.end);
    }
  }

  Rows rows(const Block& block) const { return {block.request * body_.m + block.from, block.queries()}; }

  static int last_product(const UnderWay& u, int which) {
    return *std::max_element(u.products[which].begin(), u.products[which].end());
  }

  // Queries are needed by every block of their keys.
  void bring_queries(const Block& block, Dependencies& waits) {
    const auto& needs = plan_.op(op_).needs;
    const std::int64_t elements = block.queries() * group_ * body_.head_dim;
    if (given_)
      queries_in_ = plan_.bring_given_queries(op_, rows(block), Bytes(elements * kAttentionBytes));
    else if (!needs.empty() && plan_.value(needs[0]).place == Place::dram)
      queries_in_ = plan_.bring(needs[0], rows(block), Bytes(elements * plan_.value(needs[0]).element), true);
    else
      return;
    waits.insert(waits.end(), queries_in_.waits.begin(), queries_in_.waits.end());
  }

  void begin_scores(UnderWay& u, int place_reader) {
    Dependencies& waits = waits_[0];
    waits = first_;
    first_.clear();
    if (u.block.opens) bring_queries(u.block, waits);
    if (place_reader >= 0) waits.push_back({place_reader, Wait::space});
  }

  void scored(UnderWay& u, std::size_t p) {
    if (u.block.closes && p + 1 == u.parts.size()) {
      plan_.frees(queries_in_, last_product(u, 0));
      queries_in_ = {};
    }
    if (u.products[0][p] >= 0) u.softmax[p] = softmax(u.parts[p], u.products[0][p]);
  }

  // Queries are divided among the vector pipelines. Commands are reported finished in order: the last stands
  // for all.
  template <class Work>
  int on_pipelines(const Block& part, int after, Work work) {
    const std::int64_t queries = ceil_div(part.queries(), b_.pipelines_for(work(part)));
    int command = -1;
    for (const Block& some : parts_of(part, queries))
      command = b_.vector(work(some), command < 0 ? Dependencies{{after, Wait::data}} : Dependencies{});
    return command;
  }

  int softmax(const Block& part, int scored) {
    const int command =
        on_pipelines(part, scored, [this](const Block& some) { return softmax_work(b_, body_, some); });
    if (part.opens && part.closes) return command;
    return on_pipelines(part, command, [this](const Block& some) { return rescale_work(b_, body_, some); });
  }

  void begin_values(UnderWay& u) {
    waits_[1].clear();
    if (!u.block.opens) return;
    sums_.clear();
    values_.assign(u.parts.size(), -1);
    for (const Block& part : u.parts)
      if (b_.has_outputs()) sums_.push_back(b_.reserve(sums_of(body_, part), waits_[1]));
  }

  void added(UnderWay& u, std::size_t p) {
    values_[p] = std::max(values_[p], u.products[1][p]);
    if (u.block.closes && b_.has_outputs()) finish(u.parts[p], values_[p], sums_[p]);
  }

  // Divides by the sum of the weights.
  VectorCost finish_cost() const {
    return elementwise(b_.operations(VectorFunction::multiply)).then(plan_.operand_cost(op_));
  }

  // Divides by the sum of the weights and hands the block's results on.
  void finish(const Block& block, int added, int sums) {
    const std::int64_t columns = group_ * body_.head_dim;
    const int command = on_pipelines(block, added, [&](const Block& some) {
      const std::int64_t outputs = some.queries() * columns;
      VectorWork work{outputs, 1, Bytes(outputs * kResultBytes), Bytes(outputs * plan_.value(op_).element)};
      charge(work, finish_cost(), b_.words(some.queries(), columns));
      return work;
    });
    if (plan_.value(op_).place == Place::dram) {
      plan_.deliver(op_, rows(block), block.head * columns, (block.head + 1) * columns, sums, command);
    } else {
      b_.releases(sums, command);
      plan_.completes(op_, rows(block), command);
    }
    int& last = plan_.last[static_cast<std::size_t>(op_)];
    last = std::max(last, command);
  }

  void finish_all() {
    const std::int64_t rows = body_.requests * body_.m, columns = body_.heads * body_.head_dim;
    VectorWork work{rows * columns, 1, Bytes(rows * columns * kResultBytes),
                    Bytes(rows * columns * plan_.value(op_).element)};
    charge(work, finish_cost(), b_.words(rows, columns));
    const int command = b_.vector(work, {{values_.back(), Wait::data}});
    plan_.completes(op_, {0, body_.requests * body_.m}, command);
    plan_.last[static_cast<std::size_t>(op_)] = command;
  }

  Plan& plan_;
  Builder& b_;
  int op_;
  const Attention& body_;
  CachedRows cache_;
  std::int64_t group_, queries_ = 1;
  std::int8_t operands_ = 0, format_ = -1;
  bool from_cache_ = false, on_cores_ = false;
  bool given_ =
      false;  // no operator makes queries, keys and values: they lie in memory, the latter in the cache
  int writer_ = -1;  // the operator that stores the new rows
  Dependencies first_;
  Brought queries_in_;
  std::array<Dependencies, 2> waits_;  // of the next product with keys, with values
  // [part] of the current block of queries: places of its sums, the last command that added to them.
  std::vector<int> sums_, values_;
};

}  // namespace

void lower_attention(Plan& plan, int op, const Attention& body) {
  AttentionLowering(plan, op, body).run();
}

}  // namespace edgenpu::lowering
