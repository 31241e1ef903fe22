// Matrix products: the weights are read once, in tiles of whole rows.
//
// Rows that fit at once: tile after tile streams through and is multiplied by all rows. Otherwise a block of
// tiles is held while chunks of rows pass it. The first and the last chunk take the block tile by tile, so
// that they start with its first tile and the next block's tiles can follow as tiles fall free; the chunks
// between take as many tiles at once as their results have room for.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/rates.h"
#include "lowering/plan.h"
#include "lowering/tile_choice.h"
#include "workload/arithmetic.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

struct Part {
  int op;
  const MatMul* body;
  MatrixWork work;           // what all its commands share
  std::int64_t address = 0;  // of the current copy's matrix
  int bias = -1;             // its load, until a command has taken it
};

struct Tile {
  std::int64_t from, to;   // outputs
  std::vector<int> loads;  // of each part
};

class MatMulLowering {
 public:
  // `parts` read the same rows; `follower` takes their results tile by tile (-1: they stay or are stored).
  MatMulLowering(Plan& plan, const std::vector<int>& parts, int follower)
      : plan_(plan), b_(plan.builder), follower_(follower), result_(follower < 0 ? parts[0] : follower) {
    sampled_ = follower >= 0 && std::holds_alternative<Sample>(plan.op(follower).body);
    for (const int op : parts) parts_.push_back(part(op));
    chunk_ = std::min(plan.chunk(parts[0]), rows_of(plan.op(parts[0]).body));
    tile_ = tile_columns();
  }

  void run() {
    for (const Part& p : parts_) b_.begin_operator(p.op);
    start_waits();
    const MatMul& shape = *parts_[0].body;
    std::int64_t first = 0;
    for (std::int64_t copy = 0; copy < shape.copies; ++copy) {
      const std::int64_t more = shape.extra / shape.copies + (copy < shape.extra % shape.copies);
      copy_of_weights({first, shape.m + more});
      first += shape.m + more;
    }
    for (const Part& p : parts_) plan_.last[static_cast<std::size_t>(p.op)] = command_;
    int& last = plan_.last[static_cast<std::size_t>(result_)];
    last = std::max(last, epilogue_ >= 0 ? epilogue_ : command_);
  }

 private:
  Part part(int op) const {
    Part p{op, &std::get<MatMul>(plan_.op(op).body), {}};
    const std::string& name = plan_.op(op).name;
    p.work.k = p.body->k;
    p.work.operands = b_.operand_pair(arithmetic(p.body->format).operands, name);
    p.work.format = b_.format(p.body->format, name);
    p.address = plan_.map.weights[static_cast<std::size_t>(op)];
    return p;
  }

  static Bytes row(const Part& p) { return p.body->stored_row(); }
  std::int64_t pass() const { return std::int64_t{plan_.npu.matrix.engines} * plan_.npu.matrix.outputs(); }

  // Outputs per tile; as many as twice the room for results allows.
  std::int64_t tile_columns() const {
    std::int64_t columns = parts_[0].body->n;
    const Bytes ring = plan_.layout.spills() ? b_.held_size() : b_.loads_size();
    for (const Part& p : parts_) {
      const Bytes largest = plan_.npu.tile > Bytes(0) ? std::min(plan_.npu.tile, ring / 2) : ring / 2;
      if (row(p) > largest)
        throw InfeasibleError(fmt::format(
            "{}: one row of {} B does not fit a load of {} B (half of what the scratchpad of {} B leaves "
            "beside "
            "activations)",
            plan_.op(p.op).name, row(p).count(), largest.count(), plan_.npu.scratchpad.size.count()));
      columns = std::min(columns, choose_tile(plan_.npu, row(p), ring, columns));
    }
    return std::min(columns, columns_with_room(chunk_));
  }

  // Outputs whose results, for `rows`, fit twice into the ring of results.
  std::int64_t columns_with_room(std::int64_t rows) const {
    if (!b_.has_outputs() || (follower_ < 0 && plan_.value(result_).place != Place::dram))
      return parts_[0].body->n;
    const std::int64_t bytes = rows * kResultBytes * static_cast<std::int64_t>(parts_.size());
    const std::int64_t columns = std::max<std::int64_t>(1, b_.outputs_size().count() / (2 * bytes));
    return columns >= pass() ? columns / pass() * pass() : columns;
  }

  // Outputs whose weights of all parts fit the held ring.
  std::int64_t block_columns(std::int64_t chunks) const {
    if (chunks == 1) return tile_;
    Bytes column{0};
    for (const Part& p : parts_) column += row(p) + Bytes(ceil_div(p.body->bias_bytes.count(), p.body->n));
    const std::int64_t n = parts_[0].body->n;
    const std::int64_t most = std::max<std::int64_t>(1, b_.held_size() / column / tile_) * tile_;
    return std::min(most, ceil_div(ceil_div(n, ceil_div(n, most)), tile_) * tile_);
  }

  // Everything but the rows of the first input: the choice of experts, and places to be taken over.
  void start_waits() {
    for (const Part& p : parts_) {
      const auto& needs = plan_.op(p.op).needs;
      for (std::size_t i = 1; i < needs.size(); ++i) append(first_, plan_.after(needs[i]));
    }
    if (plan_.value(result_).place != Place::dram) append(first_, plan_.displacing(result_));
  }

  static void append(Dependencies& to, const Dependencies& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  void copy_of_weights(Rows rows) {
    const std::int64_t chunks = ceil_div(rows.count, chunk_);
    const std::int64_t columns = block_columns(chunks), n = parts_[0].body->n;
    if (chunks == 1) {
      load_biases(0, n);
      inputs_ = bring(rows, false);
    }
    for (std::int64_t from = 0; from < n; from += columns) {
      const std::vector<Tile> tiles = load_block(from, std::min(n, from + columns));
      if (chunks > 1) load_biases(from, std::min(n, from + columns));
      for (std::int64_t c = 0; c < chunks; ++c) {
        const Rows chunk{rows.first + c * chunk_, std::min(chunk_, rows.count - c * chunk_)};
        pass_chunk(chunk, tiles, c == 0, c == chunks - 1, chunks > 1);
      }
      if (chunks > 1) free_biases();
    }
    if (chunks == 1) plan_.frees(inputs_, command_);
    for (Part& p : parts_) p.address += p.body->bias_bytes.count() + (row(p) * n).count();
  }

  // `known`: an earlier block has brought them before.
  Brought bring(Rows rows, bool known) {
    const auto& needs = plan_.op(parts_[0].op).needs;
    if (needs.empty()) return {};
    const MatMul& body = *parts_[0].body;
    const Bytes bytes(rows.count * body.input_width() * operand_bytes(body.format));
    const Rows read = rows_read(plan_.op(parts_[0].op).body, plan_.value(needs[0]).rows, rows);
    return plan_.bring(needs[0], read, bytes, false, known);
  }

  // The accumulators start with the bias.
  void load_biases(std::int64_t from, std::int64_t to) {
    for (Part& p : parts_) {
      const std::int64_t all = p.body->bias_bytes.count(), n = p.body->n;
      const std::int64_t begin = all * from / n, end = all * to / n;
      if (end == begin) continue;
      const Builder::OperatorScope scope(b_, p.op);
      p.bias = b_.hold({p.address + begin, Bytes(end - begin), 1, Bytes(0)});
    }
  }
  void free_biases() {
    for (Part& p : parts_) {
      if (p.bias >= 0) b_.frees(p.bias, command_);
      p.bias = -1;
    }
  }

  std::vector<Tile> load_block(std::int64_t from, std::int64_t to) {
    std::vector<Tile> tiles;
    for (std::int64_t a = from; a < to; a += tile_) {
      Tile tile{a, std::min(to, a + tile_), {}};
      for (const Part& p : parts_) {
        const Builder::OperatorScope scope(b_, p.op);
        const std::int64_t address = p.address + p.body->bias_bytes.count() + (row(p) * a).count();
        tile.loads.push_back(b_.hold({address, row(p) * (tile.to - a), 1, Bytes(0)}));
      }
      tiles.push_back(tile);
    }
    return tiles;
  }

  void pass_chunk(Rows rows, const std::vector<Tile>& tiles, bool first, bool last, bool own_inputs) {
    if (own_inputs) inputs_ = bring(rows, tiles.front().from > 0);
    const std::int64_t room = columns_with_room(rows.count);
    for (std::size_t i = 0; i < tiles.size();) {
      std::size_t end = i + 1;
      while (!first && !last && end < tiles.size() && tiles[end].to - tiles[i].from <= room) ++end;
      multiply(rows, tiles, i, end, first, own_inputs);
      for (std::size_t t = i; t < end && last; ++t)
        for (const int load : tiles[t].loads) b_.frees(load, command_);
      i = end;
    }
    if (own_inputs) plan_.frees(inputs_, command_);
  }

  // Tiles [begin, end) of all parts for `rows`, and what follows them.
  void multiply(Rows rows, const std::vector<Tile>& tiles, std::size_t begin, std::size_t end, bool first,
                bool keep_bias) {
    const std::int64_t from = tiles[begin].from, to = tiles[end - 1].to;
    int reserved = -1;
    Dependencies room;
    const bool passing = follower_ >= 0 && b_.has_outputs();
    if (passing)
      reserved = b_.reserve(
          Bytes(rows.count * (to - from) * kResultBytes * static_cast<std::int64_t>(parts_.size())), room);
    else if (follower_ < 0 && plan_.value(result_).place == Place::dram)
      reserved = plan_.reserve(result_, rows, to - from, room);
    Dependencies done;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      Dependencies waits;
      for (std::size_t t = begin; t < end && first; ++t) waits.push_back({tiles[t].loads[p], Wait::data});
      if (parts_[p].bias >= 0 && first) waits.push_back({parts_[p].bias, Wait::data});
      append(waits, inputs_.waits);
      append(waits, first_);
      append(waits, room);
      if (sampled_ && !passing && earlier_epilogue_ >= 0) waits.push_back({earlier_epilogue_, Wait::space});
      command_ = product(parts_[p], rows, from, to - from, waits);
      done.push_back({command_, Wait::data});
      if (!keep_bias && parts_[p].bias >= 0) {
        b_.frees(parts_[p].bias, command_);
        parts_[p].bias = -1;
      }
    }
    // The engines work in order: what holds for the first command holds for those behind it.
    first_.clear();
    inputs_.waits.clear();
    follow(rows, from, to, reserved, done);
  }

  int product(const Part& p, Rows rows, std::int64_t first, std::int64_t n, const Dependencies& waits) {
    const Builder::OperatorScope scope(b_, p.op);
    const std::int64_t m = rows.count;
    MatrixWork w = p.work;
    w.m = m;
    w.n = n;
    w.first_row = rows.first;
    w.first_output = first;
    w.weights = row(p) * n;
    const Bytes inputs(m * p.body->input_width() * operand_bytes(p.body->format));
    const std::int64_t passes = ceil_div(ceil_div(n, plan_.npu.matrix.engines), plan_.npu.matrix.outputs());
    w.activations = inputs * (m == 1 || inputs <= kEngineBuffer ? 1 : passes);
    w.results = Bytes(m * n * (follower_ < 0 ? plan_.written_bytes(p.op) : kResultBytes));
    return b_.matrix(w, waits);
  }

  // Hands the results on: to the follower's command, to their place, or to DRAM.
  void follow(Rows rows, std::int64_t from, std::int64_t to, int reserved, const Dependencies& done) {
    if (follower_ < 0) return plan_.deliver(result_, rows, from, to, reserved, command_);
    const Builder::OperatorScope scope(b_, follower_);
    earlier_epilogue_ = epilogue_;
    if (sampled_) {
      epilogue_ = b_.vector({rows.count * (to - from), b_.operations("argmax"),
                             Bytes(rows.count * (to - from) * kResultBytes), Bytes(0)},
                            done);
      if (reserved >= 0) b_.releases(reserved, epilogue_);
      return;
    }
    activate(rows, from, to, reserved, done);
  }

  // The results of the activation take the place of its inputs.
  void activate(Rows rows, std::int64_t from, std::int64_t to, int reserved, const Dependencies& done) {
    const auto& a = std::get<Activation>(plan_.op(follower_).body);
    const std::int64_t n = parts_[0].body->n, begin = from * a.width / n, end = to * a.width / n;
    const std::int64_t elements = rows.count * (end - begin);
    const char* function = a.function == Activation::Function::silu ? "silu" : "gelu";
    VectorWork w;
    w.elements = elements;
    w.read = Bytes(elements * (a.gated ? 2 : 1) * kResultBytes);
    w.written = Bytes(elements * plan_.written_bytes(follower_));
    const VectorCost own = elementwise(b_.operations(function) + (a.gated ? b_.operations("multiply") : 0));
    charge(w, own.then(plan_.operand_cost(follower_)), b_.words(rows.count, end - begin));
    epilogue_ = b_.vector(w, done);
    const bool spilled = plan_.value(follower_).place == Place::dram;
    if (!spilled) b_.releases(reserved, epilogue_);
    plan_.deliver(follower_, rows, begin, end, reserved, epilogue_);
  }

  Plan& plan_;
  Builder& b_;
  std::vector<Part> parts_;
  int follower_, result_;
  bool sampled_ = false;
  std::int64_t chunk_ = 1, tile_ = 1;
  Brought inputs_;
  Dependencies first_;  // of the first commands
  int command_ = -1, epilogue_ = -1, earlier_epilogue_ = -1;
};

}  // namespace

void lower_matmul(Plan& plan, int op) {
  MatMulLowering(plan, {op}, follower(plan.trace, plan.layout.consumers, op, false)).run();
}

void lower_activation_of_products(Plan& plan, int op) {
  MatMulLowering(plan, plan.op(op).needs, op).run();
}

}  // namespace edgenpu::lowering
