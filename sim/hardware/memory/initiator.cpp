#include "hardware/memory/initiator.h"

#include "base/error.h"

namespace edgenpu::hardware {

Initiator::Initiator() : socket("socket") {
  socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
}

void Initiator::offer(const Request& request) {
  tlm::tlm_generic_payload* payload = pool_.get();
  payload->set_command(request.read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload->set_address(static_cast<sc_dt::uint64>(request.address));
  payload->set_data_length(static_cast<unsigned>(request.bytes.count()));
  payload->set_streaming_width(static_cast<unsigned>(request.bytes.count()));
  RequestTag& tag = tag_of(*payload);
  tag.op = request.op;
  tag.background = request.background;
  tag.owner = request.owner;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  offered_ = payload;
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(*payload, phase, delay);
  if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    offered_ = nullptr;
    response(*payload, delay);
  } else if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    offered_ = nullptr;
  }
}

tlm::tlm_sync_enum Initiator::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
  if (offered_ == &payload) {  // END_REQ, or a response that implies it
    offered_ = nullptr;
    again_.notify(sc_core::SC_ZERO_TIME);
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  if (phase != tlm::BEGIN_RESP) throw InternalError("the memory sent an unknown TLM phase");
  response(payload, delay);
  return tlm::TLM_COMPLETED;
}

void Initiator::response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  const Femtoseconds now = now_fs();
  const Femtoseconds at = arrival(now + from_sc(delay), Bytes(payload.get_data_length()));
  if (at <= now) return finish(payload);
  arrivals_.push(at, &payload);
}

void Initiator::finish(tlm::tlm_generic_payload& payload) {
  if (!payload.is_response_ok())
    throw InternalError("the memory refused a request: " + payload.get_response_string());
  const Bytes bytes(payload.get_data_length());
  const std::int32_t owner = tag_of(payload).owner;
  payload.release();
  settle(bytes, owner);
}

}  // namespace edgenpu::hardware
