#include "hardware/npu/matrix_engines.h"

#include <algorithm>

#include "timing/matrix_array.h"
#include "timing/unit_cycles.h"

namespace edgenpu::hardware {

using lowering::MatrixWork;
using lowering::Unit;

MatrixEngines::MatrixEngines(sc_core::sc_module_name name, NpuContext& context, Scratchpad& scratchpad)
    : sc_module(name), context_(context), scratchpad_(scratchpad), buckets_(context.program.operators) {
  activity::Counters& c = context.counters;
  const auto counter = [&c](vocabulary::Operands operands) {
    const std::string pair = name_of(operands);
    return c.declare({"mac_" + pair, "MACs", "products of " + pair + " operands accumulated", true});
  };
  // All that the hardware can do, so that a price never lacks its counter; the program uses some.
  for (const auto& [pair, rate] : context.npu.matrix.rate) counter(pair);
  for (const lowering::OperandUse& use : context.program.operand_pairs)
    macs_by_operands_.push_back(counter(use.pair));
  macs_ = c.declare({"macs", "MACs", "products of all kinds", false});
  int4_ = c.declare({"dequant_weights_int4", "weights", "stored weights unpacked to int4 operands", true});
  int8_ = c.declare({"dequant_weights_int8", "weights", "stored weights unpacked to int8 operands", true});
  scales_ = c.declare({"dequant_scales", "scales", "group scales applied to partial sums", true});
  partial_B_ = c.declare({"partial_sum_B", "bytes", "partial sums moved between matrix engines", true});
  partial_adds_ =
      c.declare({"partial_sum_adds", "additions", "partial sums added between matrix engines", true});
  const auto limit = [&c](const char* name, const char* what) {
    return c.declare({name, "cycles", std::string("matrix engines occupied, limited by ") + what, false});
  };
  array_limit_ = limit("matrix_limit_array", "the array");
  decode_limit_ = limit("matrix_limit_decode", "the decoder of weights");
  port_limit_ = limit("matrix_limit_port", "the port to the scratchpad");
  SC_HAS_PROCESS(MatrixEngines);
  SC_METHOD(run);
  sensitive << context.wake_of(Unit::matrix) << free_;
  SC_METHOD(complete);
  dont_initialize();
  sensitive << completions_.event();
}

Cycles MatrixEngines::array_cycles(const MatrixWork& w) const {
  const config::MatrixEngines& e = context_.npu.matrix;
  const double rate = context_.program.operand_pairs[static_cast<std::size_t>(w.operands)].products_per_cycle;
  const timing::MatrixArray array = timing::array_of(e, rate);
  if (w.band < 0 || e.dataflow != config::Dataflow::dot_product)
    return timing::split_cycles(array, w.split, e.engines, w.m, w.n, w.k);
  const lowering::Band& band = context_.program.bands[static_cast<std::size_t>(w.band)];
  std::int64_t passes = 0;
  for (std::int64_t t = 0; t < band.tokens; ++t) {
    const std::int64_t keys = band.visible(t);
    const timing::Share s =
        timing::share_of(w.split, e.engines, band.rows, band.keys_are_outputs ? keys : w.n,
                         band.keys_are_outputs ? w.k : keys);
    passes += timing::folds(array, s.m, s.n, s.k);
  }
  return timing::cycles_of_passes(array, passes);
}

MatrixEngines::Occupancy MatrixEngines::occupancy(const MatrixWork& w) const {
  const config::MatrixEngines& e = context_.npu.matrix;
  const timing::Share s = timing::share_of(w.split, e.engines, w.m, w.n, w.k);
  Occupancy o{array_cycles(w), array_limit_};
  const auto at_least = [&o](Cycles cycles, activity::CounterId limit) {
    if (cycles > o.cycles) o = {cycles, limit};
  };
  if (w.format >= 0) {
    const auto& format = context_.program.formats[static_cast<std::size_t>(w.format)];
    at_least(timing::decode_cycles(s.n * s.k, format.weights_per_cycle), decode_limit_);
  }
  const auto part = [](Bytes bytes, std::int64_t share, std::int64_t whole) {
    return Bytes(ceil_div(bytes.count() * share, whole));
  };
  const Bytes weights = part(part(w.weights, s.n, w.n), s.k, w.k);
  const Bytes activations = part(part(w.activations, s.m, w.m), s.k, w.k);
  const Bytes sums = part(part(w.sums, s.m, w.m), s.n, w.n);
  at_least(Cycles(ceil_div((weights + activations + sums).count(), e.port.count())), port_limit_);
  return o;
}

// From the scratchpad, for all engines.
Bytes MatrixEngines::read_bytes(const MatrixWork& w) const {
  const config::MatrixEngines& e = context_.npu.matrix;
  const Bytes once = w.weights + w.activations + w.sums;
  if (e.multicast || w.split == config::Split::reduction) return once;
  const std::int64_t used = std::min<std::int64_t>(e.engines, w.split == config::Split::rows ? w.m : w.n);
  return once + (w.split == config::Split::rows ? w.weights : w.activations) * (used - 1);
}

void MatrixEngines::count(const MatrixWork& w, activity::OperatorId op, Femtoseconds start) {
  activity::Counters& c = context_.counters;
  const std::int64_t products = lowering::products(context_.program, w);
  c.add(op, macs_, products);
  c.add_over(op, macs_by_operands_[static_cast<std::size_t>(w.operands)], products, start, busy_until_);
  count_partial_sums(w, products, op, start);
  if (w.format < 0) return;
  const lowering::FormatUse& format = context_.program.formats[static_cast<std::size_t>(w.format)];
  if (format.scale_group == 0) return;  // stored as operands
  c.add_over(op, format.four_bit ? int4_ : int8_, w.n * w.k, start, busy_until_);
  // A scale for each group of each row of weights, and again for each row of activations that meets it.
  const std::int64_t scales =
      w.band < 0 ? w.m * w.n * ceil_div(w.k, format.scale_group) : ceil_div(products, format.scale_group);
  c.add_over(op, scales_, scales, start, busy_until_);
}

void MatrixEngines::count_partial_sums(const MatrixWork& w, std::int64_t products, activity::OperatorId op,
                                       Femtoseconds start) {
  const std::int64_t sums = timing::partial_sums(w.split, context_.npu.matrix.engines, w.k);
  if (sums == 0) return;
  // Of a masked product along the keys, every output; of scores, those that are seen.
  const bool masked_outputs =
      w.band >= 0 && context_.program.bands[static_cast<std::size_t>(w.band)].keys_are_outputs;
  const std::int64_t moved = sums * (masked_outputs ? products / w.k : w.m * w.n);
  constexpr std::int64_t kFp32 = 4;
  context_.counters.add_over(op, partial_B_, moved * kFp32, start, busy_until_);
  context_.counters.add_over(op, partial_adds_, moved, start, busy_until_);
}

void MatrixEngines::run() {
  ++context_.events;
  const Femtoseconds now = now_fs();
  if (now < busy_until_) return;  // woken early: the end of the current command is already scheduled
  const int command = context_.ready_head(Unit::matrix);
  if (command < 0) {
    buckets_.enter(context_.waiting_bucket(Unit::matrix), now);
    return;
  }
  context_.queue(Unit::matrix).pop();
  context_.start(command);
  buckets_.enter(activity::Bucket::busy, now);
  const lowering::Command& c = context_.program.commands[static_cast<std::size_t>(command)];
  const MatrixWork& w = context_.program.matrix[static_cast<std::size_t>(c.work)];
  const Femtoseconds read = scratchpad_.read(Unit::matrix, now, read_bytes(w), c.op);
  const Occupancy occupied = occupancy(w);
  context_.counters.add(c.op, occupied.limit, occupied.cycles.count());
  busy_until_ = std::max(context_.clock.after(now, occupied.cycles), read);
  count(w, c.op, now);
  const Femtoseconds result = context_.clock.after(busy_until_, context_.npu.matrix.pipeline);
  completions_.push(std::max(result, scratchpad_.write(Unit::matrix, now, w.results, c.op)), command);
  free_.notify(to_sc(busy_until_ - now));
}

void MatrixEngines::complete() {
  ++context_.events;
  for (int command = 0; completions_.pop_due(command);) context_.finish(command);
}

}  // namespace edgenpu::hardware
