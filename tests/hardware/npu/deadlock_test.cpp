// A deadlock is that nothing is left to happen, not that time passes.
#include <gmock/gmock.h>

#include "../memory/memory_fixture.h"
#include "hardware/memory/background.h"
#include "hardware/run_events.h"
#include "npu_bench.h"

namespace edgenpu::test {
namespace {

using lowering::Wait;

// Takes requests and never answers.
class SilentMemory : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_target_socket<SilentMemory>;
  explicit SilentMemory(sc_core::sc_module_name name) : sc_module(name), load("load"), store("store") {
    load.register_nb_transport_fw(this, &SilentMemory::transport);
    store.register_nb_transport_fw(this, &SilentMemory::transport);
  }
  Socket load, store;

 private:
  tlm::tlm_sync_enum transport(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
};

ProgramBuilder load_and_multiply(std::int64_t k) {
  ProgramBuilder b;
  const int first = b.load(0, 4096);
  b.matrix(8, k, {{first, Wait::data}}, 1);
  return b;
}

struct SilentBench {
  SilentBench()
      : npu(sample_npu()), program(load_and_multiply(256).p), counters(4), ledger(npu.memory.channels, 4) {
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    memory = std::make_unique<SilentMemory>("silent");
    top = std::make_unique<hardware::NpuTop>("npu", npu, program, counters, ledger);
    top->load_dma().socket.bind(memory->load);
    top->store_dma().socket.bind(memory->store);
  }
  config::Npu npu;
  lowering::Program program;
  activity::Counters counters;
  activity::LossLedger ledger;
  std::unique_ptr<SilentMemory> memory;
  std::unique_ptr<hardware::NpuTop> top;
};

// Reads from a memory of its own for ever.
struct Display {
  Display()
      : shared(load_memory("lpddr5-6400")),
        counters(1),
        ledger(shared.channels, 1),
        memory("shared", with_traffic(shared), hardware::Detail::row, counters, ledger, 1),
        background("background", shared, memory) {
    background.socket.bind(memory.socket(0));
  }
  static const config::Memory& with_traffic(config::Memory& m) {
    m.background.bandwidth = BytesPerSecond(5e9);
    m.background.request = m.interleave;
    return m;
  }
  std::int64_t requests() const {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < counters.infos().size(); ++i)
      if (counters.infos()[i].name == "dram_background_B") bytes = counters.values()[i][0];
    return Bytes(bytes) / shared.background.request;
  }
  config::Memory shared;
  activity::Counters counters;
  activity::LossLedger ledger;
  hardware::MemorySystem memory;
  hardware::BackgroundReader background;
};

TEST(Deadlock, OfAMemoryThatNeverAnswersEndsTheRunAndSaysWhatWaitsForWhat) {
  SilentBench bench;
  hardware::run_events();
  EXPECT_FALSE(bench.top->finished());
  EXPECT_THAT(bench.top->describe(), ::testing::HasSubstr("0 of 2 commands finished"));
  EXPECT_THAT(bench.top->describe(), ::testing::HasSubstr("load: command 0 of a is running"));
  EXPECT_THAT(bench.top->describe(),
              ::testing::HasSubstr("matrix: command 1 of b is queued, waits for command 0 (load)"));
}

TEST(Deadlock, ComesToLightBesideTrafficThatNeverEnds) {
  SilentBench bench;
  Display display;
  hardware::run_events();
  EXPECT_FALSE(bench.top->finished());
}

TEST(NoDeadlock, IsACommandThatTakesMinutes) {
  NpuBench bench(sample_npu(), load_and_multiply(std::int64_t{1} << 42).p);
  EXPECT_GT(bench.run(), 120'000'000'000'000) << "picoseconds";
}

TEST(NoDeadlock, IsACommandThatTakesMinutesBesideTrafficThatNeverEnds) {
  NpuBench bench(sample_npu(), load_and_multiply(std::int64_t{1} << 33).p);
  Display display;
  EXPECT_GT(bench.run(), 250'000'000'000) << "picoseconds";
  EXPECT_GT(display.requests(), 2 << 16) << "it looked whether it was alone, more than once";
}

TEST(AProcess, ThatFindsTheStepInfeasibleSaysSoThroughSystemC) {
  NpuBench bench(sample_npu(), load_and_multiply(std::int64_t{1} << 52).p);  // hours
  try {
    hardware::run_events();
    FAIL() << bench.top->end().count();
  } catch (const InfeasibleError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("64"));
  }
}

}  // namespace
}  // namespace edgenpu::test
