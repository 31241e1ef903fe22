#include "hardware/npu/run_npu.h"

#include <optional>

#include "base/error.h"
#include "hardware/memory/background.h"
#include "hardware/memory/command_log.h"
#include "hardware/memory/memory_system.h"
#include "hardware/npu/npu_top.h"

namespace edgenpu::hardware {

activity::Snapshot run_npu(const config::Npu& npu, const lowering::Program& program, bool burst_detail,
                           const activity::RecordOptions& record) {
  // Standard output belongs to the result.
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  activity::Timeline timeline(record);
  const bool recording = record.window > Femtoseconds(0);
  activity::Counters counters(program.operators, recording ? &timeline : nullptr);
  activity::LossLedger ledger(npu.memory.channels, program.operators);
  const int masters = has_background(npu.memory) ? 3 : 2;
  MemorySystem memory("memory", npu.memory, burst_detail ? Detail::burst : Detail::row, counters, ledger,
                      masters);
  NpuTop top("npu", npu, program, counters, ledger);
  top.load_dma().socket.bind(memory.socket(0));
  top.store_dma().socket.bind(memory.socket(1));
  std::optional<BackgroundReader> background;
  if (has_background(npu.memory)) {
    background.emplace("background", npu.memory);
    ledger.allow_overhang();
    background->socket.bind(memory.socket(2));
  }
  if (recording) top.record(timeline);
  std::optional<CommandLog> log;
  if (record.dram_commands > 0) log.emplace(npu.memory, memory, record.dram_commands);
  sc_core::sc_start();
  if (log) {
    activity::Snapshot s;
    s.dram_commands = log->texts();
    return s;
  }
  if (!top.finished())
    throw InternalError("the simulation made no progress any more\n" + top.describe() + "\n" +
                        memory.describe_pending());

  activity::Snapshot s;
  s.time = top.end();
  ledger.finish(s.time);
  s.channels = ledger.channels();
  s.counters = counters.infos();
  s.values = counters.values();
  s.losses = ledger.losses();
  s.engines = top.engines();
  s.events = top.events();
  top.finish_recording();
  s.windows = counters.windows(s.time);
  return s;
}

}  // namespace edgenpu::hardware
