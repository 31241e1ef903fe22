#include "lowering/product_commands.h"

#include <algorithm>

#include "base/rates.h"
#include "lowering/follower_work.h"

namespace edgenpu::lowering {

using namespace workload;

namespace {

void append(Dependencies& to, const Dependencies& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

ProductCommands::ProductCommands(Plan& plan, const std::vector<int>& parts, int follower)
    : plan_(plan),
      b_(plan.builder),
      follower_(follower),
      result_(follower < 0 ? parts[0] : follower),
      split_(plan.layout.planned_of(parts[0]).choice.plan.split) {
  sampled_ = follower >= 0 && std::holds_alternative<Sample>(plan.op(follower).body);
  for (const int op : parts) parts_.push_back(part(op));
}

ProductCommands::Part ProductCommands::part(int op) const {
  Part p{op, &std::get<MatMul>(plan_.op(op).body), {}};
  const std::string& name = plan_.op(op).name;
  if (plan_.op(op).runs_on != RunsOn::cores) {
    p.work.operands = b_.operand_pair(operands_of(plan_.op(op)).value(), name);
    p.work.format = b_.format(p.body->format, name);
  }
  p.address = plan_.map.weights[static_cast<std::size_t>(op)];
  return p;
}

// Everything but the rows of the first input: the choice of experts, and places to be taken over.
void ProductCommands::begin() {
  for (const Part& p : parts_) b_.begin_operator(p.op);
  for (const Part& p : parts_) {
    const auto& needs = plan_.op(p.op).needs;
    for (std::size_t i = 1; i < needs.size(); ++i) append(first_, plan_.after(needs[i]));
  }
  if (plan_.value(result_).place != Place::dram) append(first_, plan_.displacing(result_));
}

void ProductCommands::next_copy() {
  for (Part& p : parts_) p.address += p.body->bias_bytes.count() + (p.row() * p.body->n).count();
}

void ProductCommands::end() {
  for (const Part& p : parts_) plan_.last[static_cast<std::size_t>(p.op)] = command_;
  int& last = plan_.last[static_cast<std::size_t>(result_)];
  last = std::max(last, epilogue_ >= 0 ? epilogue_ : command_);
}

Brought ProductCommands::bring(Rows rows, Span k, bool held, bool known, bool repeated) {
  const auto& needs = plan_.op(parts_[0].op).needs;
  const std::int64_t element = operand_bytes(plan_.op(parts_[0].op));
  if (needs.empty()) {
    const bool whole = k.count() == shape().k;
    const Rows columns{k.from * element, (whole ? shape().input_width() : k.count()) * element};
    return plan_.bring_given(parts_[0].op, rows, columns, held, repeated ? Purpose::again : Purpose::once);
  }
  const Rows read = rows_read(plan_.op(parts_[0].op).body, plan_.value(needs[0]).rows, rows);
  if (k.count() < shape().k)
    return plan_.bring_columns(needs[0], read, rows.count, {k.from * element, k.count() * element}, held,
                               known);
  return plan_.bring(needs[0], read, Bytes(rows.count * shape().input_width() * element), held, known);
}

void ProductCommands::load_biases(Span outputs, Purpose purpose, bool once) {
  free_bias_ = once;
  for (Part& p : parts_) {
    const std::int64_t all = p.body->bias_bytes.count(), n = p.body->n;
    const std::int64_t begin = all * outputs.from / n, end = all * outputs.to / n;
    if (end == begin) continue;
    const Builder::OperatorScope scope(b_, p.op);
    const Transfer t{p.address + begin, Bytes(end - begin), 1, Bytes(0), purpose};
    p.bias = once ? b_.load(t) : b_.hold(t);
  }
}

void ProductCommands::free_biases() {
  for (Part& p : parts_) {
    if (p.bias >= 0) b_.frees(p.bias, command_);
    p.bias = -1;
  }
}

ProductCommands::Weights ProductCommands::load_weights(Span outputs, Span k, bool held, Purpose purpose) {
  Weights weights;
  for (const Part& p : parts_) weights.loads.push_back(load_part(p, outputs, k, held, purpose));
  return weights;
}

// A part of the reduction is a piece of each panel of rows.
std::vector<int> ProductCommands::load_part(const Part& p, Span outputs, Span k, bool held, Purpose purpose) {
  const Builder::OperatorScope scope(b_, p.op);
  std::vector<int> loads;
  const auto piece = [&](std::int64_t from, std::int64_t height, std::int64_t count) {
    const std::int64_t address =
        p.address + p.body->bias_bytes.count() + (p.row() * from).count() + height * p.offset(k.from).count();
    const Transfer t{address, (p.offset(k.to) - p.offset(k.from)) * height, count,
                     count > 1 ? p.row() * height : Bytes(0), purpose};
    loads.push_back(held ? b_.hold(t) : b_.load(t));
  };
  if (k.count() == p.body->k) {
    piece(outputs.from, outputs.count(), 1);
    return loads;
  }
  const std::int64_t panels = outputs.count() / pass(), rest = outputs.count() % pass();
  if (panels > 0) piece(outputs.from, pass(), panels);
  if (rest > 0) piece(outputs.to - rest, rest, 1);
  return loads;
}

void ProductCommands::frees(const Weights& weights) {
  for (const auto& part : weights.loads)
    for (const int load : part) b_.frees(load, command_);
}

bool ProductCommands::leaves() const {
  return follower_ >= 0 ? b_.has_outputs() : plan_.value(result_).place == Place::dram;
}

std::int64_t ProductCommands::columns_with_room(std::int64_t rows) const {
  if (!b_.has_outputs() || !leaves()) return shape().n;
  const std::int64_t bytes = rows * plan_.layout.planned_of(parts_[0].op).product.result_bytes;
  const std::int64_t columns = std::max<std::int64_t>(1, b_.outputs_size().count() / (2 * bytes));
  return columns >= pass() ? columns / pass() * pass() : columns;
}

int ProductCommands::reserve(Rows rows, std::int64_t columns, bool summed) {
  if (!leaves() && !summed) return -1;
  std::int64_t bytes = kResultBytes * static_cast<std::int64_t>(parts_.size());
  if (follower_ < 0 && leaves())
    bytes = summed ? std::max(bytes, plan_.value(result_).element) : plan_.value(result_).element;
  return b_.reserve(Bytes(rows.count * columns * bytes), room_);
}

void ProductCommands::multiply(Rows rows, Span outputs, Span k, const std::vector<const Weights*>& fresh,
                               Dependencies& inputs) {
  done_.clear();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Dependencies waits;
    for (const Weights* weights : fresh)
      for (const int load : weights->loads[p]) waits.push_back({load, Wait::data});
    // A bias is there before the products of its first tile; those behind it follow in order.
    const bool biased = parts_[p].bias >= 0 && !fresh.empty();
    if (biased) waits.push_back({parts_[p].bias, Wait::data});
    append(waits, inputs);
    append(waits, first_);
    append(waits, room_);
    if (sampled_ && !leaves() && earlier_epilogue_ >= 0) waits.push_back({earlier_epilogue_, Wait::space});
    command_ = product(parts_[p], rows, outputs, k, waits);
    done_.push_back({command_, Wait::data});
    if (!biased || !free_bias_) continue;
    b_.frees(parts_[p].bias, command_);
    parts_[p].bias = -1;
  }
  // The engines work in order: what holds for the first command holds for those behind it.
  first_.clear();
  room_.clear();
  inputs.clear();
}

int ProductCommands::product(const Part& p, Rows rows, Span outputs, Span k, const Dependencies& waits) {
  const Builder::OperatorScope scope(b_, p.op);
  const std::int64_t m = rows.count, n = outputs.count();
  MatrixWork w = p.work;
  w.m = m;
  w.n = n;
  w.k = k.count();
  w.first_row = rows.first;
  w.first_output = outputs.from;
  w.first_k = k.from;
  w.weights = (p.offset(k.to) - p.offset(k.from)) * n;
  const std::int64_t width = k.count() == p.body->k ? p.body->input_width() : k.count();
  const std::int64_t inputs = m * width * operand_bytes(plan_.op(p.op));
  w.activations = Bytes(b_.products_on_cores() ? inputs : activation_bytes(plan_.npu, inputs, m, n));
  const bool last = k.to == p.body->k;
  w.results = Bytes(m * n * (last && follower_ < 0 ? plan_.written_bytes(p.op) : kResultBytes));
  if (k.from > 0) w.sums = Bytes(m * n * kResultBytes);
  if (b_.products_on_cores()) return b_.product_on_cores(w, p.body->format, waits);
  return b_.matrix(w, waits, split_);
}

void ProductCommands::follow(Rows rows, Span outputs, int reserved) {
  if (follower_ < 0) {
    if (reserved >= 0 && !leaves()) b_.releases(reserved, command_);
    return plan_.deliver(result_, rows, outputs.from, outputs.to, reserved, command_);
  }
  const Builder::OperatorScope scope(b_, follower_);
  earlier_epilogue_ = epilogue_;
  if (sampled_) return choose_best(rows, outputs, reserved);
  take_over(rows, outputs, reserved);
}

void ProductCommands::choose_best(Rows rows, Span outputs, int reserved) {
  const std::int64_t elements = rows.count * outputs.count();
  epilogue_ = b_.vector(
      {elements, b_.operations(VectorFunction::argmax), Bytes(elements * kResultBytes), Bytes(0)}, done_);
  if (reserved >= 0) b_.releases(reserved, epilogue_);
}

// Rows are divided among the vector pipelines. Their commands are reported finished in order: the last stands
// for all.
void ProductCommands::take_over(Rows rows, Span outputs, int reserved) {
  const auto* a = std::get_if<Activation>(&plan_.op(follower_).body);
  const std::int64_t n = shape().n;
  const Span columns = a ? Span{outputs.from * a->width / n, outputs.to * a->width / n} : outputs;
  const auto work = [&](std::int64_t count) {
    return a ? activation_work(plan_, follower_, count, columns.count())
             : turning_work(plan_, follower_, count, columns.count(), n);
  };
  const std::int64_t part = ceil_div(rows.count, b_.pipelines_for(work(rows.count)));
  for (std::int64_t first = 0; first < rows.count; first += part) {
    epilogue_ = b_.vector(work(std::min(part, rows.count - first)), done_);
    done_.clear();  // the engine works in order
  }
  const bool spilled = plan_.value(follower_).place == Place::dram;
  if (!spilled) b_.releases(reserved, epilogue_);
  plan_.deliver(follower_, rows, columns.from, columns.to, reserved, epilogue_);
}

}  // namespace edgenpu::lowering
