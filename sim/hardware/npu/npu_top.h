// The NPU: command processor, DMA, matrix engines, vector engine, scratchpad and interconnect, wired
// together. The memory is bound from outside, so that another TLM-2.0 memory can stand in for ours. `address`: where
// the program's addresses begin, a multiple of the channels' interleave.
//
// The run ends when every command has finished. Nothing left to happen before is a deadlock (run_events.h):
// reported with what every queue waits for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <systemc>

#include "hardware/npu/command_processor.h"
#include "hardware/npu/cores.h"
#include "hardware/npu/dma.h"
#include "hardware/npu/matrix_engines.h"
#include "hardware/npu/vector_engine.h"
#include "hardware/system.h"

namespace edgenpu::hardware {

class NpuTop : public sc_core::sc_module, public Machine {
 public:
  NpuTop(sc_core::sc_module_name name, const config::Npu& npu, const lowering::Program& program,
         activity::Counters& counters, activity::LossLedger& ledger, std::int64_t address = 0);

  Dma& load_dma() { return load_; }
  Dma& store_dma() { return store_; }

  int bind(MemorySystem& memory, int first) override;
  bool finished() const override { return context_.scoreboard.all_finished(); }
  Femtoseconds end() const override { return end_; }
  std::string describe() override { return context_.scoreboard.describe(); }
  std::vector<activity::EngineTimes> engines(Femtoseconds end) const override;
  void record(activity::Timeline& timeline) override;
  void finish_recording() override;
  std::int64_t events() const override { return context_.events; }

 private:
  void watch_progress();
  void follow_operator();
  using NamedClock = std::pair<const char*, activity::BucketClock*>;
  activity::LossLedger& ledger() { return context_.ledger; }
  Scoreboard::Blame upstream();
  Scoreboard::Blame with_handover(const Scoreboard::Blame& blame) const;

  NpuContext context_;
  Scratchpad scratchpad_;
  Interconnect interconnect_;
  CommandProcessor processor_;
  Dma load_, store_;
  MatrixEngines matrix_;
  VectorEngine vector_;
  std::optional<Cores> cores_;      // where operators are placed on them
  std::vector<NamedClock> clocks_;  // of all units that are there
  Femtoseconds end_{0};
  activity::OperatorId operator_;
};

}  // namespace edgenpu::hardware
