#include "hardware/run_books.h"

#include "base/error.h"
#include "hardware/run_events.h"

namespace edgenpu::hardware {

RunBooks::RunBooks(const config::Memory& memory_config, int operators, int masters, bool burst_detail,
                   const activity::RecordOptions& record)
    : timeline(record),
      counters(quiet(operators), record.window > Femtoseconds(0) ? &timeline : nullptr),
      ledger(memory_config.channels, operators),
      memory("memory", memory_config, burst_detail ? Detail::burst : Detail::row, counters, ledger,
             masters + (timing::has_background(memory_config) ? 1 : 0)),
      recording_(record.window > Femtoseconds(0)) {
  if (record.dram_commands > 0) log_.emplace(memory_config, memory, record.dram_commands);
  if (!timing::has_background(memory_config)) return;
  background.emplace("background", memory_config, memory);
  ledger.allow_overhang();
  background->socket.bind(memory.socket(masters));
}

// Standard output belongs to the result.
int RunBooks::quiet(int operators) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return operators;
}

activity::Snapshot RunBooks::run(Machine& machine, const std::vector<std::string>& notes) {
  if (recording_) machine.record(timeline);
  run_events();
  if (log_) {
    activity::Snapshot s;
    s.dram_commands = log_->texts();
    return s;
  }
  const auto now = Femtoseconds(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
  if (background) background->check_served(now);
  if (!machine.finished())
    throw InternalError("the simulation made no progress any more\n" + machine.describe() + "\n" +
                        memory.describe_pending());
  return close(machine, notes);
}

activity::Snapshot RunBooks::close(Machine& machine, const std::vector<std::string>& notes) {
  memory.finish();
  ledger.finish(machine.end());
  activity::Snapshot s;
  s.time = machine.end();
  s.channels = ledger.channels();
  s.counters = counters.infos();
  s.values = counters.values();
  s.losses = ledger.losses();
  s.engines = machine.engines();
  s.events = machine.events() + memory.events();
  s.notes = notes;
  machine.finish_recording();
  s.windows = counters.windows(s.time);
  return s;
}

}  // namespace edgenpu::hardware
