// The write of new K and V rows to the cache. Rows that are not 16-bit floats are quantised on the way.
#include <algorithm>

#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

class KvWriteLowering {
 public:
  KvWriteLowering(Plan& plan, int op, const KvWrite& body)
      : plan_(plan),
        b_(plan.builder),
        op_(op),
        body_(body),
        place_(plan.map.kv[static_cast<std::size_t>(op)]) {
    tokens_ = body.m / plan.trace.batch;
    plain_ = body.kv_format == Format::F16 || body.kv_format == Format::BF16 || body.kv_format == Format::F32;
  }

  void run() {
    const std::int64_t chunk = std::min(plan_.chunk(op_), body_.m);
    for (std::int64_t first = 0; first < body_.m; first += chunk)
      rows({first, std::min(chunk, body_.m - first)});
    plan_.last[static_cast<std::size_t>(op_)] = stored_;
  }

 private:
  void rows(Rows rows) {
    Dependencies waits;
    std::vector<Brought> inputs = {plan_.bring_operands(op_, rows)};
    waits = inputs.back().waits;
    for (const int need : plan_.op(op_).needs) {
      const Value& v = plan_.value(need);
      // K and V of a fused product are parts of its rows.
      const std::int64_t width = std::min(v.width, body_.kv_heads * body_.head_dim);
      inputs.push_back(plan_.bring(need, rows, Bytes(rows.count * width * v.element)));
      waits.insert(waits.end(), inputs.back().waits.begin(), inputs.back().waits.end());
    }
    int reserved = -1;
    const int quantised = plain_ ? -1 : quantise(rows, waits, reserved);
    if (quantised >= 0) waits = {{quantised, Wait::data}};
    for (std::int64_t row = rows.first; row < rows.end();) row = store(row, rows.end(), waits);
    for (const Brought& in : inputs) plan_.frees(in, quantised >= 0 ? quantised : stored_);
    if (reserved >= 0) b_.releases(reserved, stored_);
  }

  int quantise(Rows rows, const Dependencies& waits, int& reserved) {
    const std::int64_t elements = 2 * rows.count * body_.kv_heads * body_.head_dim;
    const Bytes stored = place_.row * (2 * rows.count * body_.kv_heads);
    Dependencies all = waits;
    if (b_.has_outputs()) reserved = b_.reserve(stored, all);
    VectorWork work{elements, 1, Bytes(elements * kResultBytes), stored};
    charge(work, b_.cost(VectorFunction::quantise),
           b_.words(2 * rows.count * body_.kv_heads, body_.head_dim));
    return b_.vector(work, all);
  }

  // Rows of one request from `first` on; the row behind them. Each head's new rows are contiguous; heads lie
  // a whole cache apart.
  std::int64_t store(std::int64_t first, std::int64_t end, const Dependencies& waits) {
    const std::int64_t request = first / tokens_, token = first % tokens_;
    const std::int64_t count = std::min(end - first, tokens_ - token);
    for (int which = 0; which < 2; ++which) {
      stored_ = b_.store({place_.address(request, which, 0, place_.cached + token), place_.row * count,
                          place_.kv_heads, place_.head},
                         waits);
      plan_.completes(op_, {first, count}, stored_);
    }
    return first + count;
  }

  Plan& plan_;
  Builder& b_;
  int op_;
  const KvWrite& body_;
  const KvPlace& place_;
  std::int64_t tokens_ = 1;
  bool plain_ = true;
  int stored_ = -1;
};

}  // namespace

void lower_kv_write(Plan& plan, int op, const KvWrite& body) {
  KvWriteLowering(plan, op, body).run();
}

}  // namespace edgenpu::lowering
