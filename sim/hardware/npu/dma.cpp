#include "hardware/npu/dma.h"

#include <algorithm>

#include "base/error.h"

namespace edgenpu::hardware {

using lowering::Unit;

Dma::Dma(sc_core::sc_module_name name, Unit unit, NpuContext& context, Scratchpad& scratchpad,
         BandwidthServer& interconnect)
    : sc_module(name),
      socket("socket"),
      unit_(unit),
      context_(context),
      scratchpad_(scratchpad),
      interconnect_(interconnect),
      buckets_(context.program.operators),
      interconnect_B_(context.counters.declare(
          {"interconnect_B", "bytes", "bytes carried between memory controllers and scratchpad", true})),
      descriptors_(
          context.counters.declare({"dma_descriptors", "descriptors", "descriptors started", false})),
      refetched_B_(context.counters.declare(
          {"dram_refetched_B", "bytes", "bytes read again, or read back, because they did not fit", false})),
      spilled_B_(context.counters.declare(
          {"dram_spilled_B", "bytes", "bytes of activations written because they did not fit", false})) {
  socket.register_nb_transport_bw(this, &Dma::nb_transport_bw);
  SC_HAS_PROCESS(Dma);
  SC_METHOD(run);
  sensitive << context.wake_of(unit) << again_;
  SC_METHOD(respond);
  dont_initialize();
  sensitive << arrivals_.event();
  SC_METHOD(complete);
  dont_initialize();
  sensitive << completions_.event();
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
    const std::int64_t bytes = transfer.bytes.count() * transfer.count;
    if (transfer.purpose == lowering::Purpose::again) context_.counters.add(c.op, refetched_B_, bytes);
    if (transfer.purpose == lowering::Purpose::spill) context_.counters.add(c.op, spilled_B_, bytes);
    Descriptor d{command, c.op, &transfer, context_.clock.after(now, context_.npu.dma.setup)};
    active_.push_back(d);
    again_.notify(to_sc(d.ready - now));
  }
}

void Dma::send_requests(Femtoseconds now) {
  // Oldest descriptor first; a younger one sends only when the older ones have sent everything.
  for (Descriptor& d : active_) {
    if (d.all_sent()) continue;
    if (d.ready > now) {
      again_.notify(to_sc(d.ready - now));
      return;
    }
    while (!d.all_sent())
      if (!send_one(d)) return;
  }
}

bool Dma::send_one(Descriptor& d) {
  if (offered_) return false;
  const lowering::Transfer& t = *d.transfer;
  const std::int64_t address = t.address + d.piece * t.stride.count() + d.offset;
  const std::int64_t granule = context_.npu.memory.interleave.count();
  const std::int64_t length = std::min(t.bytes.count() - d.offset, granule - address % granule);
  if (in_flight_ > 0 && in_flight_ + requests_of(length) > context_.npu.dma.outstanding) return false;

  tlm::tlm_generic_payload* payload = pool_.get();
  payload->set_command(unit_ == Unit::load ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload->set_address(static_cast<sc_dt::uint64>(address));
  payload->set_data_length(static_cast<unsigned>(length));
  payload->set_streaming_width(static_cast<unsigned>(length));
  tag_of(*payload).op = d.op;
  tag_of(*payload).owner = d.command;
  d.offset += length;
  if (d.offset == t.bytes.count()) {
    d.offset = 0;
    ++d.piece;
  }
  ++d.pending;
  if (in_flight_ == 0) context_.progress.notify(sc_core::SC_ZERO_TIME);
  in_flight_ += requests_of(length);
  if (unit_ == Unit::store) scratchpad_.read(unit_, now_fs(), Bytes(length), d.op);

  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  offered_ = payload;
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(*payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    offered_ = nullptr;
    response_arrives(*payload, delay);
  } else if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    offered_ = nullptr;
  }
  return true;
}

tlm::tlm_sync_enum Dma::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  if (offered_ == &payload) {  // END_REQ, or a response that implies it
    offered_ = nullptr;
    again_.notify(sc_core::SC_ZERO_TIME);
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  if (phase != tlm::BEGIN_RESP) throw InternalError("the memory sent an unknown TLM phase");
  response_arrives(payload, delay);
  return tlm::TLM_COMPLETED;
}

void Dma::response_arrives(tlm::tlm_generic_payload& payload, sc_core::sc_time delay) {
  if (delay == sc_core::SC_ZERO_TIME) return settle(payload);
  arrivals_.push(now_fs() + Femtoseconds(static_cast<std::int64_t>(delay.value())), &payload);
}

void Dma::respond() {
  for (tlm::tlm_generic_payload* payload = nullptr; arrivals_.pop_due(payload);) settle(*payload);
}

// The bytes stream through while one channel delivers them: they are late only if the path is slower than
// that.
Femtoseconds Dma::first_byte(Bytes length, Femtoseconds last) const {
  const config::Memory& memory = context_.npu.memory;
  return std::max(Femtoseconds(0),
                  last - time_of(length, BytesPerSecond(memory.peak().count() / memory.channels)));
}

void Dma::settle(tlm::tlm_generic_payload& payload) {
  const Femtoseconds now = now_fs();
  const Bytes length(payload.get_data_length());
  const RequestTag& tag = tag_of(payload);
  const auto d = std::find_if(active_.begin(), active_.end(),
                              [&](const Descriptor& x) { return x.command == tag.owner; });
  const Femtoseconds started = first_byte(length, now);
  Femtoseconds through = std::max(now, interconnect_.reserve(started, length));
  if (unit_ == Unit::load) through = std::max(through, scratchpad_.write(unit_, started, length, d->op));
  context_.counters.add_over(d->op, interconnect_B_, length.count(), std::min(started, through), through);
  // Ideal memory stands for data that are where they are needed: no path limits it.
  if (context_.npu.memory.ideal) through = now;
  d->delivered = std::max(d->delivered, through);
  --d->pending;
  in_flight_ -= requests_of(length.count());
  ++responses_;
  payload.release();
  if (in_flight_ == 0) context_.progress.notify(sc_core::SC_ZERO_TIME);
  if (d->all_sent() && d->pending == 0) completions_.push(d->delivered, d->command);
  again_.notify(sc_core::SC_ZERO_TIME);
}

void Dma::complete() {
  ++context_.events;
  for (int command = 0; completions_.pop_due(command);) {
    active_.remove_if([&](const Descriptor& d) { return d.command == command; });
    context_.finish(command);
  }
  again_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace edgenpu::hardware
