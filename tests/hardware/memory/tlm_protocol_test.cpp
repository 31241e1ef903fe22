// The TLM-2.0 front as strangers see it: an initiator that knows nothing of ours, and a memory that is not
// ours.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "hardware/memory/memory_fixture.h"
#include "hardware/memory/memory_system.h"

namespace edgenpu::hardware {
namespace {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

// Only generic fields, no extension; four explicit phases, with delays annotated and END_RESP sent late.
class ForeignInitiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<ForeignInitiator> socket{"socket"};
  SC_HAS_PROCESS(ForeignInitiator);

  ForeignInitiator(sc_core::sc_module_name name, int payloads, sc_time annotated, bool late_end)
      : sc_module(name),
        payloads_(static_cast<std::size_t>(payloads)),
        annotated_(annotated),
        late_end_(late_end) {
    socket.register_nb_transport_bw(this, &ForeignInitiator::back);
    SC_THREAD(run);
    SC_THREAD(acknowledge);
  }

  int responses = 0, accepted = 0;
  bool overlapping = false;

 private:
  void run() {
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      tlm_generic_payload& p = payloads_[i];
      p.set_read();
      p.set_address(64 * i);
      p.set_data_length(64);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay = annotated_;
      requesting_ = &p;
      const auto answer = socket->nb_transport_fw(p, phase, delay);
      if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        ++accepted;
        requesting_ = nullptr;
      } else {
        while (!end_req_) wait(event_);
        end_req_ = false;
        ++accepted;
      }
    }
  }
  void acknowledge() {
    for (;;) {
      while (!waiting_) wait(event_);
      wait(30, sc_core::SC_NS);
      tlm_generic_payload& p = *waiting_;
      waiting_ = nullptr;
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_time zero = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(p, phase, zero);
    }
  }
  tlm::tlm_sync_enum back(tlm_generic_payload& p, tlm::tlm_phase& phase, sc_time&) {
    event_.notify(sc_core::SC_ZERO_TIME);
    if (phase == tlm::END_REQ) {
      end_req_ = true;
      requesting_ = nullptr;
      return tlm::TLM_ACCEPTED;
    }
    ++responses;
    if (&p == requesting_ && !end_req_) end_req_ = true;  // BEGIN_RESP stands for END_REQ too
    if (!late_end_) return tlm::TLM_COMPLETED;
    overlapping |= waiting_ != nullptr;
    waiting_ = &p;
    return tlm::TLM_ACCEPTED;
  }

  std::vector<tlm_generic_payload> payloads_;
  sc_time annotated_;
  bool late_end_, end_req_ = false;
  tlm_generic_payload* waiting_ = nullptr;
  tlm_generic_payload* requesting_ = nullptr;
  sc_core::sc_event event_;
};

struct System {
  explicit System(const config::Memory& m, Detail detail = Detail::row)
      : counters(1), ledger(m.channels, 1), memory("memory", m, detail, counters, ledger, 1) {}
  activity::Counters counters;
  activity::LossLedger ledger;
  MemorySystem memory;
};

class TlmProtocol : public testing::Test {
 protected:
  void SetUp() override { sc_core::sc_set_time_resolution(1, sc_core::SC_FS); }
};

TEST_F(TlmProtocol, ServesAForeignInitiatorThatAcknowledgesLateOneResponseAtATime) {
  System system(load_memory("lpddr5-6400"));
  ForeignInitiator foreign("foreign", 50, sc_core::SC_ZERO_TIME, true);
  foreign.socket.bind(system.memory.socket(0));
  sc_core::sc_start(100, sc_core::SC_US);
  EXPECT_EQ(foreign.accepted, 50);
  EXPECT_EQ(foreign.responses, 50);
  EXPECT_FALSE(foreign.overlapping);
}

TEST_F(TlmProtocol, HonoursDelaysAnnotatedToTheCall) {
  System system(load_memory("lpddr5-6400"));
  ForeignInitiator foreign("foreign", 1, sc_time(500, sc_core::SC_NS), false);
  foreign.socket.bind(system.memory.socket(0));
  sc_core::sc_start(500, sc_core::SC_NS);
  EXPECT_EQ(foreign.responses, 0);
  sc_core::sc_start(200, sc_core::SC_NS);
  EXPECT_EQ(foreign.accepted, 1);
  EXPECT_EQ(foreign.responses, 1);
}

TEST_F(TlmProtocol, HoldsBackRequestsWhenAPortIsFullAndLosesNone) {
  System system(load_memory("lpddr5-6400", {"controller.port_queue=1", "controller.read_queue=2"}));
  ForeignInitiator foreign("foreign", 200, sc_core::SC_ZERO_TIME, false);
  foreign.socket.bind(system.memory.socket(0));
  sc_core::sc_start(10, sc_core::SC_NS);
  EXPECT_LT(foreign.accepted, 10);
  sc_core::sc_start(100, sc_core::SC_US);
  EXPECT_EQ(foreign.responses, 200);
}

class BlockingInitiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<BlockingInitiator> socket{"socket"};
  SC_HAS_PROCESS(BlockingInitiator);
  explicit BlockingInitiator(sc_core::sc_module_name name) : sc_module(name) { SC_THREAD(run); }
  sc_time took;

 private:
  void run() {
    tlm_generic_payload p;
    p.set_read();
    p.set_address(4096);
    p.set_data_length(64);
    sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(p, delay);
    EXPECT_TRUE(p.is_response_ok());
    took = sc_core::sc_time_stamp() + delay;
  }
};

TEST_F(TlmProtocol, AnswersABlockingInitiatorAfterTheUnloadedLatencyPlusControllerAndFabric) {
  System system(load_memory("lpddr5-6400", {"controller.latency=20 ns", "controller.fabric_latency=30 ns"}));
  BlockingInitiator blocking("blocking");
  blocking.socket.bind(system.memory.socket(0));
  sc_core::sc_start(10, sc_core::SC_US);
  // Seen a clock after arrival, ACT-1, ACT-2, tRCD 15, RL 17, a burst 2, its second burst 4 later: 40 CK
  // of 1.25 ns.
  EXPECT_EQ(blocking.took, sc_time(40 * 1250 + 50'000, sc_core::SC_PS));
}

// A stand-in: fixed latency, one payload after another.
class ForeignMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ForeignMemory> socket{"socket"};
  explicit ForeignMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &ForeignMemory::serve);
  }
  std::int64_t bytes = 0;

 private:
  void serve(tlm_generic_payload& p, sc_time& delay) {
    delay += sc_time(100, sc_core::SC_NS);
    bytes += p.get_data_length();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

TEST_F(TlmProtocol, TheSameInitiatorRunsAgainstAForeignMemory) {
  ForeignMemory memory("memory");
  ForeignInitiator initiator("initiator", 20, sc_core::SC_ZERO_TIME, false);
  initiator.socket.bind(memory.socket);
  sc_core::sc_start(100, sc_core::SC_US);
  EXPECT_EQ(initiator.responses, 20);
  EXPECT_EQ(memory.bytes, 20 * 64);
}

}  // namespace
}  // namespace edgenpu::hardware
