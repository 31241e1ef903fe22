// The SystemC shell: four phases, placement on channels, back-pressure, errors, ledger.
#include "hardware/memory/memory_system.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "hardware/memory/memory_fixture.h"

namespace edgenpu::hardware {
namespace {

// Keeps `window` payloads of `size` bytes in flight over [0, total).
class Stream : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Stream> socket{"socket"};

  Stream(sc_core::sc_module_name name, std::int64_t total, std::int64_t size, int window, bool write = false)
      : sc_module(name),
        total_(total),
        size_(size),
        write_(write),
        payloads_(static_cast<std::size_t>(window)) {
    socket.register_nb_transport_bw(this, &Stream::nb_transport_bw);
    for (auto& p : payloads_) free_.push_back(&p);
    SC_HAS_PROCESS(Stream);
    SC_METHOD(send);
    sensitive << ready_;
  }

  std::int64_t done = 0;
  sc_core::sc_time last;
  sc_core::sc_time first_latency;

 private:
  void send() {
    while (next_ < total_ && !free_.empty() && !blocked_) {
      tlm::tlm_generic_payload& p = *free_.back();
      free_.pop_back();
      p.set_command(write_ ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      p.set_address(static_cast<sc_dt::uint64>(next_));
      p.set_data_length(static_cast<unsigned>(size_));
      next_ += size_;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time zero = sc_core::SC_ZERO_TIME;
      const auto answer = socket->nb_transport_fw(p, phase, zero);
      if (answer == tlm::TLM_ACCEPTED) blocked_ = true;
      if (answer == tlm::TLM_COMPLETED) finish(p);
    }
  }
  void finish(tlm::tlm_generic_payload& p) {
    EXPECT_TRUE(p.is_response_ok());
    done += size_;
    last = sc_core::sc_time_stamp();
    if (done == size_) first_latency = last;
    free_.push_back(&p);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_REQ) blocked_ = false;
    if (phase == tlm::BEGIN_RESP) finish(p);
    ready_.notify(sc_core::SC_ZERO_TIME);
    return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  }

  std::int64_t total_, size_, next_ = 0;
  bool write_, blocked_ = false;
  std::vector<tlm::tlm_generic_payload> payloads_;
  std::vector<tlm::tlm_generic_payload*> free_;
  sc_core::sc_event ready_;
};

struct Bench {
  Bench(const config::Memory& m, Detail detail, int masters = 1)
      : counters(1), ledger(m.channels, 1), memory("memory", m, detail, counters, ledger, masters) {}
  std::int64_t count(const std::string& name) const {
    for (std::size_t i = 0; i < counters.infos().size(); ++i)
      if (counters.infos()[i].name == name) return counters.values()[i][0];
    return -1;
  }
  activity::Counters counters;
  activity::LossLedger ledger;
  MemorySystem memory;
};

class MemorySystemDetail : public testing::TestWithParam<Detail> {
 protected:
  void SetUp() override { sc_core::sc_set_time_resolution(1, sc_core::SC_FS); }
};
INSTANTIATE_TEST_SUITE_P(Details, MemorySystemDetail, testing::Values(Detail::row, Detail::burst),
                         [](const auto& info) { return info.param == Detail::row ? "row" : "burst"; });

TEST_P(MemorySystemDetail, StreamsOneMebibyteInEveryBurstOnceAndNotFasterThanThePeak) {
  const config::Memory m = load_memory("lpddr5-6400");
  Bench bench(m, GetParam());
  Stream stream("stream", 1 << 20, 8192, 4);
  stream.socket.bind(bench.memory.socket(0));
  sc_core::sc_start();
  bench.memory.finish();
  EXPECT_EQ(stream.done, 1 << 20);
  EXPECT_EQ(bench.count("dram_read_B"), 1 << 20);
  EXPECT_EQ(bench.count("dram_transferred_B"), 1 << 20);
  EXPECT_EQ(bench.count("dram_read_bits"), 8 << 20);
  EXPECT_EQ(bench.count("dram_row_hits") + bench.count("dram_row_misses") + bench.count("dram_row_conflicts"),
            32768);
  const double us = stream.last.to_seconds() * 1e6;
  EXPECT_GE(us, 81.92);
  EXPECT_LE(us, 81.92 / 0.89);
}

TEST_P(MemorySystemDetail, LedgerOfAStreamSumsToTheTimeAndItsTransferIsTheBurstTime) {
  const config::Memory m = load_memory("lpddr5-6400", {"channels=4", "capacity=8 GiB"});
  Bench bench(m, GetParam());
  Stream stream("stream", 4 << 20, 8192, 32);
  stream.socket.bind(bench.memory.socket(0));
  sc_core::sc_start();
  bench.memory.finish();
  const Femtoseconds end(static_cast<std::int64_t>(stream.last.value()));
  bench.ledger.finish(end);
  EXPECT_EQ(activity::sum_of(bench.ledger.losses()[0]), 4 * end.count());
  const Wide transfer = bench.ledger.losses()[0][static_cast<std::size_t>(activity::Loss::transfer)];
  EXPECT_EQ(transfer, std::int64_t{4 << 20} / 32 * 2 * 1'250'000);
  EXPECT_GT(bench.ledger.losses()[0][static_cast<std::size_t>(activity::Loss::refresh)], 0);
}

TEST_P(MemorySystemDetail, RefusesAPayloadAcrossAGranuleAndBeyondTheCapacity) {
  const config::Memory m = load_memory("lpddr5-6400");
  Bench bench(m, GetParam());
  Stream stream("stream", 0, 64, 1);
  stream.socket.bind(bench.memory.socket(0));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload p;
  p.set_command(tlm::TLM_READ_COMMAND);
  p.set_data_length(64);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time zero = sc_core::SC_ZERO_TIME;
  p.set_address(8192 - 32);
  EXPECT_EQ(stream.socket->nb_transport_fw(p, phase, zero), tlm::TLM_COMPLETED);
  EXPECT_EQ(p.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
  phase = tlm::BEGIN_REQ;
  p.set_address(sc_dt::uint64{1} << 31);
  EXPECT_EQ(stream.socket->nb_transport_fw(p, phase, zero), tlm::TLM_COMPLETED);
  EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_P(MemorySystemDetail, IdealMemoryTakesNoTimeAndStillCountsBytes) {
  const config::Memory m = load_memory("lpddr5-6400", {"ideal=true"});
  Bench bench(m, GetParam());
  Stream stream("stream", 1 << 20, 8192, 4);
  stream.socket.bind(bench.memory.socket(0));
  sc_core::sc_start();
  EXPECT_EQ(stream.last, sc_core::SC_ZERO_TIME);
  EXPECT_EQ(bench.count("dram_read_B"), 1 << 20);
  EXPECT_EQ(bench.count("dram_read_bits"), 0);
}

TEST_P(MemorySystemDetail, ABusySystemSaysWhatItWaitsFor) {
  const config::Memory m = load_memory("lpddr5-6400");
  Bench bench(m, GetParam());
  Stream stream("stream", 1 << 20, 8192, 4);
  stream.socket.bind(bench.memory.socket(0));
  sc_core::sc_start(100, sc_core::SC_NS);
  EXPECT_NE(bench.memory.describe_pending().find("memory channel 0: 4 payloads pending"), std::string::npos)
      << bench.memory.describe_pending();
}

}  // namespace
}  // namespace edgenpu::hardware
