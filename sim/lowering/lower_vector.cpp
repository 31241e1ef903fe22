// Operators that run on the vector engine alone: one command for as many rows as fit, all of them where
// nothing is spilled.
#include <algorithm>
#include <memory>

#include "base/error.h"
#include "lowering/plan.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

struct VectorShape {
  std::int64_t rows, width;  // of what its functions work on
  VectorCost cost;
  std::int64_t inputs = 1;   // values read per element
  std::int64_t outputs = 1;  // values written per element
  std::int64_t elements() const { return rows * width; }
};

// The work for `rows` of an operator's rows.
struct Shape {
  const Builder& b;
  std::int64_t rows;
  VectorShape operator()(const Embed& o) const {
    return {rows, o.width, elementwise(b.operations(VectorFunction::decode)), 0};
  }
  VectorShape operator()(const Norm& o) const {
    return {rows * o.heads, o.width, b.cost(function_of(o.kind))};
  }
  VectorShape operator()(const Rope& o) const {
    return {rows * o.heads, o.head_dim, elementwise(b.operations(VectorFunction::rope))};
  }
  VectorShape operator()(const Activation& o) const {
    const std::int64_t gate = o.gated ? b.operations(VectorFunction::multiply) : 0;
    return {rows, o.width, elementwise(b.operations(function_of(o.function)) + gate), o.gated ? 2 : 1};
  }
  VectorShape operator()(const Add& o) const {
    return {rows, o.width, elementwise(b.operations(VectorFunction::add)), 2};
  }
  // One multiply-add for each of the experts' values.
  VectorShape operator()(const Combine& o) const {
    return {rows, o.width, elementwise(o.active * b.operations(VectorFunction::add)), o.active};
  }
  VectorShape operator()(const Route& o) const {
    return {
        rows, o.experts,
        b.cost(VectorFunction::softmax).then(elementwise(o.active * b.operations(VectorFunction::argmax)))};
  }
  VectorShape operator()(const Sample& o) const {
    return {rows, o.vocab, elementwise(b.operations(VectorFunction::argmax)), 1, 0};
  }
  // What has a lowering of its own. A new operator must say which it is.
  VectorShape operator()(const MatMul&) const { return other(); }
  VectorShape operator()(const Attention&) const { return other(); }
  VectorShape operator()(const KvWrite&) const { return other(); }
  [[noreturn]] static VectorShape other() {
    throw InternalError("an operator that is no vector function came to the vector engine");
  }
};

class VectorLowering {
 public:
  VectorLowering(Plan& plan, int op) : plan_(plan), b_(plan.builder), op_(op), body_(plan.op(op).body) {
    const auto* embed = std::get_if<Embed>(&body_);
    if (embed) row_ = row_bytes(embed->format, embed->width);
    weights_ = embed ? Bytes(0) : weight_bytes(body_);
    if (const int norm = norm_after(plan.trace, op, plan.layout.follow); norm >= 0)
      norm_ = std::make_unique<VectorLowering>(plan, norm);
  }

  void run() {
    const std::int64_t total = rows_of(body_), chunk = std::min(plan_.chunk(op_), total);
    int command = -1;
    for (std::int64_t first = 0; first < total; first += chunk)
      command = one({first, std::min(chunk, total - first)});
    end(command);
    if (norm_) norm_->end(command);
  }

 private:
  Brought inputs(Rows rows) {
    Brought all = plan_.bring_operands(op_, rows);
    for (const int need : plan_.op(op_).needs) {
      const Value& v = plan_.value(need);
      const Rows read = rows_read(body_, v.rows, rows);
      // Queries and keys of a fused product are parts of its rows.
      const bool part = std::holds_alternative<Rope>(body_);
      const std::int64_t width = part ? std::min(plan_.value(op_).width, v.width) : v.width;
      const Brought b = plan_.bring(need, read, Bytes(read.count * width * v.element));
      all.waits.insert(all.waits.end(), b.waits.begin(), b.waits.end());
      all.loads.insert(all.loads.end(), b.loads.begin(), b.loads.end());
    }
    return all;
  }

  // Rows of an embedding table come with the rows; norm weights once, for all.
  int weights(Rows rows) {
    const std::int64_t address = plan_.map.weights[static_cast<std::size_t>(op_)];
    if (row_ > Bytes(0))
      return b_.load({address + (row_ * rows.first).count(), row_ * rows.count, 1, Bytes(0)});
    if (weights_ > Bytes(0) && held_ < 0) return held_ = b_.hold({address, weights_, 1, Bytes(0)});
    return -1;
  }

  void end(int command) {
    if (held_ >= 0) b_.frees(held_, command);
    int& last = plan_.last[static_cast<std::size_t>(op_)];
    last = std::max(last, command);
  }

  // The last command of these rows.
  int one(Rows rows) {
    const Brought in = inputs(rows);
    int reserved = -1;
    const int command = compute(rows, in.waits, reserved);
    plan_.frees(in, command);
    // Rows of a sum stay where they are until the norm has read them.
    const int last = norm_ ? norm_->after(rows, command) : command;
    plan_.deliver(op_, rows, 0, plan_.value(op_).width, reserved, last);
    return last;
  }

  int after(Rows rows, int sum) {
    const Builder::OperatorScope scope(b_, op_);
    int reserved = -1;
    const int command = compute(rows, {{sum, Wait::data}}, reserved);
    plan_.deliver(op_, rows, 0, plan_.value(op_).width, reserved, command);
    return command;
  }

  int compute(Rows rows, Dependencies waits, int& reserved) {
    reserved = plan_.reserve(op_, rows, plan_.value(op_).width, waits);
    const int load = weights(rows);
    if (load >= 0) waits.push_back({load, Wait::data});
    const VectorShape shape = std::visit(Shape{b_, rows.count}, body_);
    VectorWork work;
    work.elements = shape.elements();
    work.read = Bytes(work.elements * shape.inputs * kResultBytes) + weights_ + row_ * rows.count;
    work.written = Bytes(work.elements * shape.outputs * plan_.written_bytes(op_));
    charge(work, shape.cost.then(plan_.operand_cost(op_)), b_.words(shape.rows, shape.width));
    const int command = b_.vector(work, waits);
    if (row_ > Bytes(0)) b_.frees(load, command);
    return command;
  }

  Plan& plan_;
  Builder& b_;
  int op_;
  const OperatorBody& body_;
  Bytes row_{0}, weights_{0};
  int held_ = -1;
  std::unique_ptr<VectorLowering> norm_;  // takes the rows of a sum
};

}  // namespace

void lower_vector(Plan& plan, int op) {
  if (plan.last[static_cast<std::size_t>(op)] >= 0) return;  // done inside its producer
  VectorLowering(plan, op).run();
}

}  // namespace edgenpu::lowering
