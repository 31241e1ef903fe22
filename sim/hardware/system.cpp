#include "hardware/system.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "hardware/run_events.h"

namespace edgenpu::hardware {

System::System(const config::Memory& memory, const std::vector<int>& operators, int masters,
               bool burst_detail, const activity::RecordOptions& record)
    : timeline_(record),
      counters_(std::accumulate(quiet(operators).begin(), operators.end(), 0),
                record.window > Femtoseconds(0) ? &timeline_ : nullptr),
      ledger_(memory.channels, operators),
      memory_("memory", memory, burst_detail ? Detail::burst : Detail::row, counters_, ledger_,
              masters + (timing::has_background(memory) ? 1 : 0)),
      operators_(operators),
      recording_(record.window > Femtoseconds(0)) {
  if (record.dram_commands > 0) log_.emplace(memory, memory_, record.dram_commands);
  if (!timing::has_background(memory)) return;
  background_.emplace("background", memory, memory_);
  ledger_.allow_overhang();
  background_->socket.bind(memory_.socket(masters));
}

// Standard output belongs to the result.
const std::vector<int>& System::quiet(const std::vector<int>& operators) {
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return operators;
}

void System::add(Machine& machine, int program, const std::string& name) {
  next_socket_ = machine.bind(memory_, next_socket_);
  machine.when_finished([this] { one_finished(); });
  units_.push_back({&machine, program, name});
}

void System::one_finished() {
  if (++finished_ == units_.size()) sc_core::sc_stop();
}

std::string System::describe() {
  std::string text;
  for (const Unit& u : units_)
    if (!u.machine->finished()) text += (u.name.empty() ? "" : u.name + ": ") + u.machine->describe() + "\n";
  return text + memory_.describe_pending();
}

activity::Snapshot System::run(const std::vector<std::string>& notes) {
  if (recording_)
    for (const Unit& u : units_) u.machine->record(timeline_);
  run_events();
  if (log_) {
    activity::Snapshot s;
    s.dram_commands = log_->texts();
    return s;
  }
  if (background_)
    background_->check_served(Femtoseconds(static_cast<std::int64_t>(sc_core::sc_time_stamp().value())));
  if (finished_ < units_.size())
    throw InternalError("the simulation made no progress any more\n" + describe());
  return close(notes);
}

std::vector<Femtoseconds> System::ends() const {
  std::vector<Femtoseconds> ends(operators_.size());
  for (const Unit& u : units_) {
    Femtoseconds& end = ends[static_cast<std::size_t>(u.program)];
    end = std::max(end, u.machine->end());
  }
  return ends;
}

activity::Snapshot System::close(const std::vector<std::string>& notes) {
  const std::vector<Femtoseconds> ends = this->ends();
  memory_.finish();
  ledger_.finish(ends);
  activity::Snapshot s;
  s.time = *std::max_element(ends.begin(), ends.end());
  s.channels = ledger_.channels();
  s.counters = counters_.infos();
  s.values = counters_.values();
  s.losses = ledger_.losses();
  for (std::size_t p = 0; p < ends.size() && ends.size() > 1; ++p)
    s.programs.push_back({operators_[p], ends[p]});
  s.events = memory_.events();
  for (const Unit& u : units_) {
    for (activity::EngineTimes& e : u.machine->engines(ends[static_cast<std::size_t>(u.program)])) {
      if (!u.name.empty()) e.name = u.name + "." + e.name;
      s.engines.push_back(std::move(e));
    }
    s.events += u.machine->events();
    u.machine->finish_recording();
  }
  s.notes = notes;
  s.windows = counters_.windows(s.time);
  return s;
}

}  // namespace edgenpu::hardware
