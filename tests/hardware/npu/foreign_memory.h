// A memory that is not ours, for tests: any number of TLM-2.0 initiators, requests accepted at once, one after the
// other at a fixed rate after a fixed latency. It knows nothing of tags, channels or ledgers.
#pragma once

#include <memory>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "base/rates.h"
#include "hardware/timed_queue.h"

namespace edgenpu::test {

class ForeignMemory : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket_tagged<ForeignMemory>;

  ForeignMemory(sc_core::sc_module_name name, int masters, BytesPerSecond rate, Femtoseconds latency)
      : sc_module(name), rate_(rate), latency_(latency) {
    for (int i = 0; i < masters; ++i) {
      sockets_.push_back(std::make_unique<Socket>(("socket" + std::to_string(i)).c_str()));
      sockets_.back()->register_nb_transport_fw(this, &ForeignMemory::transport, i);
    }
    SC_HAS_PROCESS(ForeignMemory);
    SC_METHOD(respond);
    dont_initialize();
    sensitive << due_.event();
  }

  Socket& socket(int i) { return *sockets_[static_cast<std::size_t>(i)]; }
  std::int64_t bytes = 0;

 private:
  struct Pending {
    int master;
    tlm::tlm_generic_payload* payload;
  };

  tlm::tlm_sync_enum transport(int master, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time&) {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    bytes += p.get_data_length();
    free_ = std::max(free_, hardware::now_fs()) + time_of(Bytes(p.get_data_length()), rate_);
    due_.push(free_ + latency_, {master, &p});
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void respond() {
    for (Pending x{}; due_.pop_due(x);) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      x.payload->set_response_status(tlm::TLM_OK_RESPONSE);
      socket(x.master)->nb_transport_bw(*x.payload, phase, delay);
    }
  }

  std::vector<std::unique_ptr<Socket>> sockets_;
  BytesPerSecond rate_;
  Femtoseconds latency_, free_{0};
  hardware::TimedQueue<Pending> due_;
};

}  // namespace edgenpu::test
