// The memory system as a SystemC module: one TLM-2.0 target socket per master, one Channel per channel behind
// them.
//
// What is modelled: see channel.h. The shell adds the placement of addresses on channels, the four-phase
// protocol, and the latencies of controller and fabric, which each response waits for after the end of its
// data.
//
// Protocol. Payloads carry a command (read or write), an address, a length, no data; optionally a RequestTag.
// One payload lies within one channel granule (`interleave`); otherwise it is refused at once with
// TLM_BURST_ERROR_RESPONSE, and an address beyond the capacity with TLM_ADDRESS_ERROR_RESPONSE.
//   BEGIN_REQ   returns TLM_UPDATED with END_REQ if the channel's port queue has room; otherwise
//               TLM_ACCEPTED, and END_REQ comes by nb_transport_bw when it has. One request per socket may
//               wait so.
//   BEGIN_RESP  by nb_transport_bw, at the end of data plus latencies; the next one on the socket waits for
//               END_RESP (or TLM_UPDATED / TLM_COMPLETED from the initiator).
// b_transport works through the socket's own adapter. `ideal` memory answers in no time and charges nothing.
//
// Processes: one method per channel, woken when the next response can be due at the earliest (or a payload be
// done, if a request waits for room); none per command. Counters: see DramCounters. Ledger: see ChannelMeter.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "hardware/clock_domain.h"
#include "hardware/memory/channel.h"
#include "hardware/memory/request_tag.h"

namespace edgenpu::hardware {

class MemorySystem : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket_tagged<MemorySystem>;

  MemorySystem(sc_core::sc_module_name name, const config::Memory& memory, Detail detail,
               activity::Counters& counters, activity::LossLedger& ledger, int masters);

  Socket& socket(int master) { return *sockets_[static_cast<std::size_t>(master)]; }

  static int channel_of(const config::Memory& memory, std::int64_t address) {
    return static_cast<int>(address / memory.interleave.count() % memory.channels);
  }

  // Sees the commands of a channel (burst detail).
  void set_listener(int channel, CommandListener* listener) {
    channels_[static_cast<std::size_t>(channel)].channel->set_listener(listener);
  }

  // Brings refresh and the ledger's transfers up to now; call before reading counters at the end of a run.
  void finish();

  // What every queue waits for, for the message of a deadlock.
  std::string describe_pending() const;
  std::int64_t events() const { return events_; }
  // Requests of the step's own masters, without the background's.
  std::int64_t step_requests() const { return step_requests_; }

 private:
  struct Pending {
    tlm::tlm_generic_payload* payload = nullptr;
    int master = 0;
  };
  struct ChannelShell {
    std::unique_ptr<Channel> channel;
    std::unique_ptr<sc_core::sc_event> wake;
    sc_core::sc_time wake_at;
    bool armed = false;
    std::deque<std::pair<Femtoseconds, std::int32_t>> responses;  // when due, which
  };
  struct DelayedCalls {
    DelayedCalls(MemorySystem& m, int n) : memory(m), master(n), queue(this, &DelayedCalls::due) {}
    void due(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
      memory.after_delay(master, payload, phase);
    }
    MemorySystem& memory;
    int master;
    tlm_utils::peq_with_cb_and_phase<DelayedCalls> queue;
  };
  struct Master {
    std::unique_ptr<DelayedCalls> delayed;
    tlm::tlm_generic_payload* refused = nullptr;  // a request waiting for room: END_REQ is owed
    std::deque<std::int32_t> ready;               // responses waiting for END_RESP of the one in front
    bool responding = false;
  };

  tlm::tlm_sync_enum nb_transport_fw(int master, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void after_delay(int master, tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  tlm::tlm_sync_enum begin_request(int master, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  bool valid(tlm::tlm_generic_payload& payload) const;
  // Whom a payload is for; that of the step's last request, for the background.
  activity::OperatorId operator_for(const tlm::tlm_generic_payload& payload);
  void submit(int channel, int master, tlm::tlm_generic_payload& payload);
  void end_response(int master);
  void respond(int master);
  void collect(int channel, std::int64_t cycle);
  Femtoseconds wake_delay(int channel) const;
  void on_wake(int channel);
  void admit_refused(int channel);
  void arm(int channel);

  const config::Memory memory_;
  timing::AddressMap map_;
  std::vector<std::unique_ptr<Socket>> sockets_;
  std::vector<ChannelShell> channels_;
  std::vector<Master> masters_;
  std::vector<Pending> pending_;
  std::vector<std::int32_t> free_;
  std::int64_t burst_bytes_;
  Femtoseconds latency_;
  DramCounters ids_;
  activity::Counters& counters_;
  activity::OperatorId served_{0};
  std::optional<activity::CounterId> background_B_;
  std::int64_t events_ = 0, step_requests_ = 0;
};

}  // namespace edgenpu::hardware
