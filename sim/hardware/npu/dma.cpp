#include "hardware/npu/dma.h"

#include <algorithm>

namespace edgenpu::hardware {

using lowering::Unit;

namespace {
// The owner of requests for a descriptor's list, and back: negative, apart from every descriptor's command.
std::int32_t list_of(std::int32_t command) {
  return -2 - command;
}
}  // namespace

void Dma::Descriptor::sends(std::int64_t length, std::int64_t left, bool list) {
  if (list) {
    list_left -= length;
    return;
  }
  ++pending;
  offset = length == left ? 0 : offset + length;
  if (length == left) ++piece;
}

Dma::Dma(sc_core::sc_module_name name, Unit unit, NpuContext& context, Scratchpad& scratchpad,
         Interconnect& interconnect)
    : sc_module(name),
      unit_(unit),
      context_(context),
      scratchpad_(scratchpad),
      interconnect_(interconnect),
      channel_time_(BytesPerSecond(context.npu.memory.peak().count() / context.npu.memory.channels)),
      buckets_(context.program.operators),
      interconnect_B_(context.counters.declare(
          {"interconnect_B", "bytes", "bytes carried between memory controllers and scratchpad", true})),
      descriptors_(
          context.counters.declare({"dma_descriptors", "descriptors", "descriptors started", false})),
      refetched_B_(context.counters.declare(
          {"dram_refetched_B", "bytes", "bytes read again, or read back, because they did not fit", false})),
      spilled_B_(context.counters.declare(
          {"dram_spilled_B", "bytes", "bytes of activations written because they did not fit", false})) {
  if (context.npu.dma.gather) {
    gather_pieces_ =
        context.counters.declare({"dma_gather_pieces", "pieces", "pieces that gather lists name", false});
    list_B_ = context.counters.declare(
        {"dma_list_B", "bytes", "bytes of gather lists read from DRAM, part of dram_read_B", false});
  }
  SC_HAS_PROCESS(Dma);
  SC_METHOD(run);
  sensitive << context.wake_of(unit) << again();
  SC_METHOD(respond);
  dont_initialize();
  sensitive << due();
  SC_METHOD(complete);
  dont_initialize();
  sensitive << completions_.event();
  SC_METHOD(let_go);
  dont_initialize();
  sensitive << held_.event();
}

activity::OperatorId Dma::oldest_operator() const {
  return active_.front().op;
}

int Dma::requests_of(std::int64_t bytes) const {
  return static_cast<int>(ceil_div(bytes, context_.npu.dma.request.count()));
}

void Dma::run() {
  ++context_.events;
  const Femtoseconds now = now_fs();
  start_descriptors(now);
  send_requests(now);
  buckets_.enter(active_.empty() ? context_.waiting_bucket(unit_) : activity::Bucket::busy, now);
}

void Dma::start_descriptors(Femtoseconds now) {
  while (static_cast<int>(active_.size()) < context_.npu.dma.channels) {
    const int command = context_.ready_head(unit_);
    if (command < 0) return;
    context_.queue(unit_).pop();
    context_.start(command);
    const lowering::Command& c = context_.program.commands[static_cast<std::size_t>(command)];
    context_.counters.add(c.op, descriptors_, 1);
    const lowering::Transfer& transfer = context_.program.transfers[static_cast<std::size_t>(c.work)];
    const std::int64_t bytes = transfer.total().count();
    if (transfer.purpose == lowering::Purpose::again) context_.counters.add(c.op, refetched_B_, bytes);
    if (transfer.purpose == lowering::Purpose::spill) context_.counters.add(c.op, spilled_B_, bytes);
    Descriptor d{command, c.op, &transfer, context_.clock.after(now, context_.npu.dma.setup), transfer.count};
    if (transfer.kind() == lowering::TransferKind::gather) take_list(d);
    active_.push_back(d);
    again().notify(to_sc(d.ready - now));
  }
}

// Where it lies in the scratchpad it is read at once, after the set-up.
void Dma::take_list(Descriptor& d) {
  const Bytes list = context_.npu.dma.list_entry * d.transfer->pieces;
  d.pieces = d.transfer->pieces;
  context_.counters.add(d.op, gather_pieces_, d.pieces);
  if (context_.npu.dma.list_in_dram)
    d.list_left = d.list_due = list.count();
  else
    d.ready = std::max(d.ready, scratchpad_.read(unit_, d.ready, list, d.op));
}

// What is left of the lists of all descriptors that are set up.
bool Dma::send_lists(Femtoseconds now) {
  for (Descriptor& d : active_) {
    if (d.list_left > 0 && d.ready > now) again().notify(to_sc(d.ready - now));
    while (d.list_left > 0 && d.ready <= now) {
      const Bytes list = context_.npu.dma.list_entry * d.transfer->pieces;
      if (!ask(d, d.transfer->address + list.count() - d.list_left, d.list_left, true)) return false;
    }
  }
  return true;
}

void Dma::send_requests(Femtoseconds now) {
  if (context_.npu.dma.gather && !send_lists(now)) return;
  // Oldest descriptor first; a younger one sends only when the older ones have sent everything.
  for (Descriptor& d : active_) {
    if (d.all_sent()) continue;
    if (d.ready > now) {
      again().notify(to_sc(d.ready - now));
      return;
    }
    if (d.list_due > 0) return;
    while (!d.all_sent())
      if (!send_one(d)) return;
  }
}

bool Dma::send_one(Descriptor& d) {
  const lowering::Transfer& t = *d.transfer;
  if (t.pieces == 0)
    return ask(d, t.address + d.piece * t.stride.count() + d.offset, t.bytes.count() - d.offset, false);
  const lowering::GatherPiece& piece =
      context_.program.gather[static_cast<std::size_t>(t.first_piece + d.piece)];
  return ask(d, piece.address + d.offset, piece.bytes.count() - d.offset, false);
}

bool Dma::ask(Descriptor& d, std::int64_t address, std::int64_t bytes, bool list) {
  if (waits()) return false;
  address += context_.base;
  const std::int64_t granule = context_.npu.memory.interleave.count();
  const std::int64_t length = std::min(bytes, granule - address % granule);
  if (in_flight_ > 0 && in_flight_ + requests_of(length) > context_.npu.dma.outstanding) return false;
  const bool reads = unit_ == Unit::load || list;
  d.sends(length, bytes, list);
  if (in_flight_ == 0) context_.progress.notify(sc_core::SC_ZERO_TIME);
  in_flight_ += requests_of(length);
  if (!reads) scratchpad_.read(unit_, now_fs(), Bytes(length), d.op);
  offer({reads, address, Bytes(length), d.op, list ? list_of(d.command) : d.command});
  return true;
}

// The bytes stream through while one channel delivers them: they are late only if the path is slower than
// that.
Femtoseconds Dma::first_byte(Bytes length, Femtoseconds last) {
  return std::max(Femtoseconds(0), last - channel_time_.of(length));
}

Interconnect::Age Dma::age(const Descriptor& d) {
  if (&d != &active_.front()) return Interconnect::Age::younger;
  const bool known = d.command == oldest_;
  oldest_ = d.command;
  return known ? Interconnect::Age::oldest : Interconnect::Age::new_oldest;
}

void Dma::settle(Bytes length, std::int32_t owner) {
  const Femtoseconds now = now_fs();
  const bool list = owner < 0;
  const std::int32_t command = list ? list_of(owner) : owner;
  const auto d =
      std::find_if(active_.begin(), active_.end(), [&](const Descriptor& x) { return x.command == command; });
  const Femtoseconds started = first_byte(length, now);
  Femtoseconds through = std::max(now, interconnect_.reserve(unit_, started, length, age(*d)));
  if (unit_ == Unit::load && !list)
    through = std::max(through, scratchpad_.write(unit_, started, length, d->op));
  context_.counters.add_over(d->op, interconnect_B_, length.count(), std::min(started, through), through);
  // Ideal memory stands for data that are where they are needed: no path limits it.
  if (context_.npu.memory.ideal) through = now;
  if (list) {
    context_.counters.add(d->op, list_B_, length.count());
    d->ready = std::max(d->ready, through);
    d->list_due -= length.count();
  } else {
    d->delivered = std::max(d->delivered, through);
    --d->pending;
  }
  const int requests = requests_of(length.count());
  if (d->all_sent() && d->pending == 0) completions_.push(d->delivered, d->command);
  if (through > now) return held_.push(through, requests);
  release(requests);
}

void Dma::release(int requests) {
  in_flight_ -= requests;
  if (in_flight_ == 0) context_.progress.notify(sc_core::SC_ZERO_TIME);
  again().notify(sc_core::SC_ZERO_TIME);
}

void Dma::let_go() {
  for (int requests = 0; held_.pop_due(requests);) release(requests);
}

void Dma::complete() {
  ++context_.events;
  for (int command = 0; completions_.pop_due(command);) {
    active_.remove_if([&](const Descriptor& d) { return d.command == command; });
    context_.finish(command);
  }
  again().notify(sc_core::SC_ZERO_TIME);
}

}  // namespace edgenpu::hardware
