// The initiator half of TLM-2.0's base protocol, as our units speak it: payloads without data, non-blocking,
// one request at a time waiting for its acceptance, any number under way.
//
// A unit inherits from this beside sc_module, sends with offer(), and is told by settle() when a response has
// arrived: at once, or after the delay that the memory annotated and what the unit adds with arrival(). Its
// process that is sensitive to again() runs when a request was accepted; one sensitive to due() calls
// deliver(). Errors: InternalError for a phase that the protocol does not have here, and for a request that
// was refused.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "hardware/memory/payload_pool.h"
#include "hardware/timed_queue.h"

namespace edgenpu::hardware {

class Initiator {
 public:
  tlm_utils::simple_initiator_socket<Initiator> socket;

 protected:
  struct Request {
    bool read = true;
    std::int64_t address = 0;
    Bytes bytes{0};
    activity::OperatorId op{0};
    std::int32_t owner = -1;  // comes back with the response
    bool background = false;  // not for the step
  };

  Initiator();
  virtual ~Initiator() = default;

  // A request waits for its acceptance: no other may be offered.
  bool waits() const { return offered_ != nullptr; }
  void offer(const Request& request);
  // Calls settle() for the responses that are due.
  void deliver() {
    for (tlm::tlm_generic_payload* payload = nullptr; arrivals_.pop_due(payload);) finish(*payload);
  }
  const sc_core::sc_event& due() const { return arrivals_.event(); }
  sc_core::sc_event& again() { return again_; }

  virtual void settle(Bytes bytes, std::int32_t owner) = 0;
  // When a response that reaches the unit at `at` is all there.
  virtual Femtoseconds arrival(Femtoseconds at, Bytes) { return at; }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void finish(tlm::tlm_generic_payload& payload);

  PayloadPool pool_;
  tlm::tlm_generic_payload* offered_ = nullptr;
  TimedQueue<tlm::tlm_generic_payload*> arrivals_;
  sc_core::sc_event again_;
};

}  // namespace edgenpu::hardware
