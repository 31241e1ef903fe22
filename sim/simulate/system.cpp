#include "simulate/system.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "hardware/worker.h"
#include "simulate/assemble.h"
#include "simulate/system_books.h"
#include "simulate/system_programs.h"
#include "timing/background.h"

namespace edgenpu {

namespace {

using namespace simulate_detail;
using Clock = std::chrono::steady_clock;

// The bounds of a program on several units: their products follow each other.
Bounds bounds_of_program(const PlacedSystem& system, const PlacedProgram& p) {
  const Device& first = system.units[p.units.front()].device;
  Bounds b = bounds_of(first, p.trace);
  if (!p.takes_turns()) return b;
  b.engines_s = 0;
  for (std::size_t op = 0; op < p.trace.operators.size(); ++op) {
    const Macs macs = workload::macs(p.trace.operators[op].body);
    const Device& device = system.units[p.unit_of[op]].device;
    if (macs > Macs(0))
      b.engines_s += static_cast<double>(macs.count()) /
                     device.peak_macs(workload::operands_of(p.trace.operators[op]).value());
  }
  b.compute_s = b.engines_s;
  return b;
}

Ground ground_of_program(const PlacedSystem& system, const PlacedProgram& p) {
  Ground g{
      system.system.memory, system.units[p.units.front()].device.kv_page(), bounds_of_program(system, p), {}};
  for (const std::size_t u : p.units)
    for (const std::string& note : system.units[u].device.notes())
      g.notes.push_back(system.units[u].name + ": " + note);
  if (system.units.size() > 1)
    g.notes.push_back(
        "what units share (DRAM, its interface, the regulator) is priced by the energy table of unit '" +
        system.system.shared_energy + "'; those prices of the others do not count");
  g.alone = false;
  if (!p.takes_turns()) return g;
  for (const std::size_t u : p.unit_of) g.units.push_back(system.units[u].name);
  g.handed_read = p.shared.read;
  g.handed_written = p.shared.written;
  return g;
}

result::ProgramResult program_result(const PlacedSystem& system, std::size_t number,
                                     const activity::Snapshot& run, const SystemEnergy& energy) {
  const PlacedProgram& p = system.programs[number];
  result::ProgramResult r;
  r.name = p.name;
  for (const std::size_t u : p.units) r.units.push_back(system.units[u].name);
  r.step = assemble(ground_of_program(system, p), p.trace, of_program(run, system, number),
                    energy.of_program(number));
  r.step.shares_memory = system.programs.size() > 1;
  r.step.shares_program = p.takes_turns();
  r.step.inputs = inputs_of(p.request, system.tree, p.trace);
  r.step.inputs.repeat = "full";
  return r;
}

result::UnitResult unit_result(const PlacedSystem& system, std::size_t number, const activity::Snapshot& run,
                               const SystemEnergy& energy) {
  const SystemUnit& unit = system.units[number];
  result::UnitResult r;
  r.name = unit.name;
  r.kind = unit.device.kind();
  r.description = unit.device.name();
  r.energy_J = energy.of_unit(number).total().count();
  for (const energy::ComponentEnergy& c : energy.of_unit(number).components) r.static_J += c.fixed.count();
  r.dram_energy_J = energy.dram_of_unit(number).count();
  if (unit.program < 0) return r;
  const PlacedProgram& p = system.programs[static_cast<std::size_t>(unit.program)];
  r.program = p.name;
  for (std::size_t op = 0; op < p.unit_of.size(); ++op) {
    if (p.unit_of[op] != number) continue;
    const auto id = activity::OperatorId(static_cast<std::int32_t>(op) + p.first);
    ++r.operators;
    r.dram_read_B += run.of("dram_read_B", id);
    r.dram_write_B += run.of("dram_write_B", id);
    r.macs += run.of("macs", id);
    const activity::LossTimes& losses = run.losses[op + static_cast<std::size_t>(p.first)];
    for (std::size_t l = 0; l < losses.size(); ++l)
      r.losses_s[l] += static_cast<double>(losses[l]) * 1e-15 / run.channels;
  }
  return r;
}

result::Check energy_divided(const result::SystemResult& r) {
  double sum = 0;
  for (const result::ProgramResult& p : r.programs)
    for (const result::NamedEnergy& e : p.step.energy_J) sum += e.joules;
  const bool ok = std::abs(sum - r.energy_J) <= 1e-9 * r.energy_J;
  return {"energy_of_programs_sums_to_system", ok, fmt::format("{:.9g} J of {:.9g} J", sum, r.energy_J)};
}

}  // namespace

result::SystemResult simulate_system(const StepRequest& request, const config::Value& tree) {
  const Clock::time_point started = Clock::now();
  const PlacedSystem system = place(request, tree);
  const hardware::WorkerResult worker =
      hardware::run_in_worker([&] { return run(system, request.burst_detail); });
  const SystemEnergy energy(worker.snapshot, system);
  result::SystemResult r;
  r.name = system.system.name;
  r.total_s = to_seconds(worker.snapshot.time).count();
  r.energy_J = energy.total().count();
  r.shared_J = energy.shared_static().count();
  for (std::size_t p = 0; p < system.programs.size(); ++p) {
    r.programs.push_back(program_result(system, p, worker.snapshot, energy));
    result::Simulation& s = r.programs.back().step.simulation;
    s.cpu_s = worker.cpu_s;
    s.peak_rss_B = worker.peak_rss_B;
    s.wall_s = std::chrono::duration<double>(Clock::now() - started).count();
  }
  r.power_scope = r.programs.front().step.power_scope;
  for (std::size_t u = 0; u < system.units.size(); ++u)
    r.units.push_back(unit_result(system, u, worker.snapshot, energy));
  r.checks.push_back(energy_divided(r));
  if (timing::has_background(system.system.memory))
    r.checks.push_back(background_delivered(system.system.memory, worker.snapshot));
  return r;
}

}  // namespace edgenpu
