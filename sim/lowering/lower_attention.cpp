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
#include <fmt/format.h>
#include <numeric>

#include "base/error.h"
#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

// Keys from `first` to `end` of one head, for queries [from, to); keys count from the oldest cached one.
struct Block {
  std::int64_t request, head, from, to, first, end;
  bool opens, closes;  // the first and the last block of its queries
  int softmax = -1;
  std::int64_t queries() const { return to - from; }
};

class AttentionLowering {
 public:
  AttentionLowering(Plan& plan, int op, const Attention& body)
      : plan_(plan),
        b_(plan.builder),
        op_(op),
        body_(body),
        place_(plan.map.kv[static_cast<std::size_t>(op)]),
        group_(body.heads / body.kv_heads) {
    const std::string& name = plan.op(op).name;
    // Cached values that are not 16-bit floats are decoded into them; the scores stay floating point.
    operands_ = b_.operand_pair(body.kv_format == Format::BF16 ? "bf16" : "fp16", name);
    const bool plain = body.kv_format == Format::F16 || body.kv_format == Format::BF16;
    format_ = plain ? std::int8_t{-1} : b_.format(body.kv_format, name);
    rows_per_load_ = std::max<std::int64_t>(1, b_.largest_load() / place_.row);
    page_ = plan.npu.kv_page;
    gathers_ = page_ > 0 && plan.npu.dma.gather;
    if (page_ > 0 && !gathers_) rows_per_load_ = std::min(rows_per_load_, page_);
    queries_ = queries_per_block();
    find_new_rows();
  }

  void run() {
    std::vector<Block> blocks = divide();
    first_ = start_waits();
    for (std::size_t i = 0; i <= blocks.size(); ++i) {
      if (i < blocks.size()) scores(blocks[i], i >= 2 ? blocks[i - 2].softmax : -1);
      if (i > 0) values(blocks[i - 1]);
    }
    if (!b_.has_outputs()) finish_all();
    b_.releases_scores(last_values_);
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
    for (std::size_t i = 1; i < needs.size(); ++i)
      from_cache_ = from_cache_ || plan_.value(needs[i]).place == Place::dram;
    if (!from_cache_) return;
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

  std::vector<Block> divide() const {
    const std::int64_t keys_per_block =
        std::max<std::int64_t>(1, plan_.layout.scores / Bytes(2 * group_ * queries_ * kResultBytes));
    std::vector<Block> blocks;
    for (std::int64_t r = 0; r < body_.requests; ++r)
      for (std::int64_t from = 0; from < body_.m; from += queries_)
        for (std::int64_t h = 0; h < body_.kv_heads; ++h)
          divide_keys(blocks, {r, h, from, std::min(body_.m, from + queries_), 0, 0, false, false},
                      keys_per_block);
    return blocks;
  }

  void divide_keys(std::vector<Block>& blocks, Block block, std::int64_t keys_per_block) const {
    const std::int64_t last = body_.cached + block.to;
    // The first queries bring every cached row, as the trace says; later ones what their windows show.
    const std::int64_t oldest = body_.window == 0 || block.from == 0
                                    ? 0
                                    : std::max<std::int64_t>(0, body_.cached + block.from + 1 - body_.window);
    for (std::int64_t k = oldest; k < last;) {
      block.first = k;
      block.end = std::min(last, k + keys_per_block);
      // One new key that is left over joins.
      if (last - block.end == 1 && body_.m == 1) block.end = last;
      block.opens = k == oldest;
      block.closes = block.end == last;
      blocks.push_back(block);
      k = block.end;
    }
  }

  // The product of a block's queries with rows [first, end) of K (which = 0) or V (1).
  int product(const Block& block, int which, std::int64_t first, std::int64_t end,
              const Dependencies& waits) {
    Band band{block.queries(), group_,       body_.cached + block.from - first,
              end - first,     body_.window, which == 0};
    const std::int64_t rows = group_ * block.queries();
    MatrixWork w;
    w.m = rows;
    w.n = which == 0 ? band.keys : body_.head_dim;
    w.k = which == 0 ? body_.head_dim : band.keys;
    w.operands = operands_;
    w.format = format_;
    w.weights = place_.row * band.keys;
    const Bytes inputs(rows * w.k * kAttentionBytes);
    const std::int64_t passes = ceil_div(ceil_div(w.n, plan_.npu.matrix.engines), plan_.npu.matrix.outputs());
    w.activations = inputs * (inputs <= kEngineBuffer ? 1 : passes);
    w.results = Bytes(rows * w.n * kResultBytes);
    if (band.visible() < band.keys * block.queries()) w.band = b_.band(band);
    return b_.matrix(w, waits);
  }

  // Rows [first, end) that lie in the cache, in loads.
  int stream(const Block& block, int which, std::int64_t first, std::int64_t end, Dependencies& waits) {
    int command = -1;
    for (std::int64_t k = first, rows = 0; k < end; k += rows) {
      rows = std::min(rows_per_load_, end - k);
      if (page_ > 0 && !gathers_) rows = std::min(rows, page_ - k % page_);
      Transfer t = transfer(block, which, k, rows);
      Dependencies written;
      if (first >= body_.cached)
        written = plan_.after(writer_, {block.request * body_.m + k - body_.cached, rows});
      if (block.from > 0 || first >= body_.cached) t.purpose = Purpose::again;
      const int load = b_.load(t, written);
      Dependencies all{{load, Wait::data}};
      all.insert(all.end(), waits.begin(), waits.end());
      waits.clear();
      command = product(block, which, k, k + rows, all);
      b_.frees(load, command);
    }
    return command;
  }

  // `count` rows from k on: one piece, or a list of their pages.
  Transfer transfer(const Block& block, int which, std::int64_t k, std::int64_t count) {
    std::vector<GatherPiece> pieces;
    for (std::int64_t row = k, n = 0; row < k + count; row += n) {
      n = gathers_ ? std::min(k + count - row, page_ - row % page_) : count;
      const std::int64_t address = place_.address(block.request, which, block.head, paged(row));
      if (!pieces.empty() && pieces.back().address + pieces.back().bytes.count() == address)
        pieces.back().bytes += place_.row * n;
      else
        pieces.push_back({address, place_.row * n});
    }
    if (pieces.size() == 1) return {pieces[0].address, pieces[0].bytes, 1, Bytes(0)};
    const std::int64_t plane = (block.request * 2 + which) * body_.kv_heads + block.head;
    return b_.gather(pieces, place_.lists + plane * list_bytes(body_, plan_.npu) +
                                 k / page_ * plan_.npu.dma.list_entry.count());
  }

  // Where row k of a head lies if its whole pages are scattered over the head's part of the cache: an
  // allocator hands them out in no useful order. (Half the pages apart and one more: neighbours never lie
  // together.)
  std::int64_t paged(std::int64_t k) const {
    if (page_ == 0) return k;
    const std::int64_t pages = body_.cached / page_, page = k / page_;
    if (page >= pages) return k;
    std::int64_t step = pages / 2 + 1;
    while (std::gcd(step, pages) != 1) ++step;
    return page * step % pages * page_ + k % page_;
  }

  int all_products(const Block& block, int which, Dependencies waits) {
    const std::int64_t cached_end = std::min(block.end, body_.cached);
    int command = block.first < cached_end ? stream(block, which, block.first, cached_end, waits) : -1;
    const std::int64_t fresh = std::max(block.first, body_.cached);
    if (fresh >= block.end) return command;
    if (from_cache_) return stream(block, which, fresh, block.end, waits);
    return product(block, which, fresh, block.end, waits);
  }

  Rows rows(const Block& block) const { return {block.request * body_.m + block.from, block.queries()}; }

  Band band(const Block& block) const {
    return {block.queries(), group_, body_.cached + block.from - block.first, block.end - block.first,
            body_.window};
  }
  std::int64_t visible(const Block& block) const { return band(block).visible(); }
  // Of the scores that are seen, each query's row by itself.
  std::int64_t score_words(const Block& block) const {
    const Band scores = band(block);
    std::int64_t words = 0;
    for (std::int64_t t = 0; t < scores.tokens; ++t) words += b_.words(group_, scores.visible(t));
    return words;
  }

  // Queries are needed by every block of their keys.
  void bring_queries(const Block& block, Dependencies& waits) {
    const auto& needs = plan_.op(op_).needs;
    if (needs.empty() || plan_.value(needs[0]).place != Place::dram) return;
    const Bytes bytes(block.queries() * group_ * body_.head_dim * plan_.value(needs[0]).element);
    queries_in_ = plan_.bring(needs[0], rows(block), bytes, true);
    waits.insert(waits.end(), queries_in_.waits.begin(), queries_in_.waits.end());
  }

  void scores(Block& block, int place_reader) {
    Dependencies waits = first_;
    first_.clear();
    if (block.opens) bring_queries(block, waits);
    if (place_reader >= 0) waits.push_back({place_reader, Wait::space});
    const int scored = all_products(block, 0, waits);
    if (block.closes) {
      plan_.frees(queries_in_, scored);
      queries_in_ = {};
    }
    const std::int64_t elements = group_ * visible(block);
    const Bytes bytes(elements * kResultBytes);
    VectorWork softmax{elements, 1, bytes, bytes};
    charge(softmax, b_.cost("softmax"), score_words(block));
    block.softmax = b_.vector(softmax, {{scored, Wait::data}});
    if (block.opens && block.closes) return;
    const Bytes sums = sums_of(block);
    block.softmax = b_.vector({sums / Bytes(kResultBytes), b_.operations("rescale"), sums, sums},
                              {{block.softmax, Wait::data}});
  }

  Bytes sums_of(const Block& block) const {
    return Bytes(group_ * block.queries() * body_.head_dim * kResultBytes);
  }

  void values(const Block& block) {
    Dependencies waits{{block.softmax, Wait::data}};
    if (block.opens && b_.has_outputs()) sums_ = b_.reserve(sums_of(block), waits);
    last_values_ = all_products(block, 1, waits);
    if (block.closes && b_.has_outputs()) finish(block);
  }

  // Divides by the sum of the weights.
  VectorCost finish_cost() const {
    return elementwise(b_.operations("multiply")).then(plan_.operand_cost(op_));
  }

  // Divides by the sum of the weights and hands the block's results on.
  void finish(const Block& block) {
    const std::int64_t columns = group_ * body_.head_dim, outputs = block.queries() * columns;
    VectorWork work{outputs, 1, Bytes(outputs * kResultBytes), Bytes(outputs * plan_.value(op_).element)};
    charge(work, finish_cost(), b_.words(block.queries(), columns));
    const int command = b_.vector(work, {{last_values_, Wait::data}});
    if (plan_.value(op_).place == Place::dram) {
      plan_.deliver(op_, rows(block), block.head * columns, (block.head + 1) * columns, sums_, command);
    } else {
      b_.releases(sums_, command);
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
    const int command = b_.vector(work, {{last_values_, Wait::data}});
    plan_.completes(op_, {0, body_.requests * body_.m}, command);
    plan_.last[static_cast<std::size_t>(op_)] = command;
  }

  Plan& plan_;
  Builder& b_;
  int op_;
  const Attention& body_;
  const KvPlace& place_;
  std::int64_t group_, queries_ = 1, rows_per_load_ = 1;
  std::int64_t page_ = 0;  // tokens; 0: no pages
  bool gathers_ = false;   // one descriptor brings several pages
  std::int8_t operands_ = 0, format_ = -1;
  bool from_cache_ = false;
  int writer_ = -1;  // the operator that stores the new rows
  Dependencies first_;
  Brought queries_in_;
  int sums_ = -1, last_values_ = -1;
};

}  // namespace

void lower_attention(Plan& plan, int op, const Attention& body) {
  AttentionLowering(plan, op, body).run();
}

}  // namespace edgenpu::lowering
