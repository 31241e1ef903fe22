#include "simulate/system_programs.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/rates.h"
#include "base/suggest.h"
#include "energy/shared.h"
#include "lowering/kernel_lower.h"
#include "lowering/lower.h"
#include "lowering/memory_map.h"
#include "lowering/wishes.h"
#include "simulate/description.h"
#include "simulate/toolkit.h"

namespace edgenpu::simulate_detail {

namespace {

using config::Npu;

std::vector<SystemUnit> units_of(const config::System& system, const energy::Table& table) {
  std::vector<SystemUnit> units;
  for (const config::UnitSection& section : system.units) {
    Device device(section.tree);  // refuses a unit that lacks a section
    const energy::Table own = energy::read_table(*section.tree.find("energy"));
    check_description(device, own, section.tree);
    units.push_back({section.name, section.tree, std::move(device), energy::own_part(own, table)});
  }
  return units;
}

energy::Table shared_table(const config::System& system) {
  for (const config::UnitSection& unit : system.units)
    if (unit.name == system.shared_energy) {
      const config::Value* table = unit.tree.find("energy");
      if (!table || !table->is_map())
        throw InputError(unit.tree.position(), "unit '" + unit.name + "' has no 'energy'");
      return energy::read_table(*table);
    }
  throw InternalError("no unit has the table of what is shared");
}

std::size_t number_of(const std::vector<SystemUnit>& units, const std::string& name) {
  return static_cast<std::size_t>(
      std::find_if(units.begin(), units.end(), [&](const SystemUnit& u) { return u.name == name; }) -
      units.begin());
}

// The command line's request with what the description says of this program.
StepRequest request_of(StepRequest r, const config::SystemProgram& p) {
  if (p.model) r.model = *p.model;
  if (p.quant) r.quant = *p.quant;
  if (p.model) r.trace_file.clear();
  if (p.kv) r.kv = *p.kv;
  if (p.phase && *p.phase != "decode" && *p.phase != "prefill")
    throw InputError(p.where, "program '" + p.name + "': phase '" + *p.phase +
                                  "' is not allowed; decode or prefill" +
                                  did_you_mean(*p.phase, {"decode", "prefill"}));
  if (p.phase) r.phase = *p.phase == "prefill" ? workload::Phase::prefill : workload::Phase::decode;
  if (p.context) r.context = *p.context;
  if (p.prompt) r.prompt = *p.prompt;
  if (p.batch) r.batch = *p.batch;
  const bool prefill = r.phase == workload::Phase::prefill;
  if (p.prompt && !prefill)
    throw InputError(p.where, "program '" + p.name + "': a decode step has no prompt");
  if (p.batch && prefill) throw InputError(p.where, "program '" + p.name + "': a prefill step has no batch");
  return r;
}

// The unit of each operator: the first pattern that fits it, or the rest.
std::vector<std::size_t> unit_of(const config::SystemPlacement& placement,
                                 const std::vector<SystemUnit>& units, const workload::Trace& trace) {
  std::size_t rest = 0;
  std::vector<std::vector<bool>> used;
  for (const config::UnitPlacement& p : placement.units) {
    if (p.rest) rest = number_of(units, p.unit);
    used.emplace_back(p.patterns.size(), false);
  }
  std::vector<std::size_t> unit_of(trace.operators.size(), rest);
  for (std::size_t op = 0; op < unit_of.size(); ++op) {
    bool found = false;
    for (std::size_t u = 0; u < placement.units.size(); ++u)
      for (std::size_t k = 0; k < placement.units[u].patterns.size(); ++k) {
        if (!lowering::named_by(placement.units[u].patterns[k], trace.operators[op])) continue;
        used[u][k] = true;
        if (!found) unit_of[op] = number_of(units, placement.units[u].unit);
        found = true;
      }
  }
  std::vector<std::string> names;
  for (const workload::Operator& op : trace.operators)
    if (const std::string name = lowering::name_within_layer(op);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  Diagnostics out;
  for (std::size_t u = 0; u < placement.units.size(); ++u)
    for (std::size_t k = 0; k < used[u].size(); ++k)
      if (const std::string& pattern = placement.units[u].patterns[k]; !used[u][k])
        out.add(placement.units[u].where,
                fmt::format("'{}' fits no operator of {}; there are: {}{}", pattern, trace.model, join(names),
                            did_you_mean(pattern, names)));
  out.throw_if_any();
  return unit_of;
}

void refuse_engines_that_share(const PlacedProgram& p, const std::vector<SystemUnit>& units,
                               const Position& where) {
  if (!p.takes_turns()) return;
  for (const std::size_t u : p.units)
    if (std::holds_alternative<Npu>(units[u].device.description()))
      throw InputError(
          where, fmt::format("unit '{}' is of kind npu, whose program is one plan; its operators are placed "
                             "on the cores of its own description (placement.cpu), not on other units",
                             units[u].name));
}

PlacedProgram placed(const StepRequest& request, const config::SystemProgram& p,
                     std::vector<SystemUnit>& units, int number) {
  PlacedProgram program;
  program.name = p.name;
  for (const config::UnitPlacement& u : p.placement.units) {
    program.units.push_back(number_of(units, u.unit));
    units[program.units.back()].program = number;
  }
  refuse_engines_that_share(program, units, p.placement.where);
  SystemUnit& first = units[program.units.front()];
  program.request = with_default_quant(request_of(request, p), first.tree);
  program.trace = first.device.assigned(trace_of(program.request), first.table);
  for (const std::size_t u : program.units) check_toolkit(program.trace, units[u].tree);
  program.unit_of = unit_of(p.placement, units, program.trace);
  if (p.placement.handover) program.handover = *p.placement.handover;
  return program;
}

// What an NPU's program takes behind the trace's own bytes: activations that do not fit, lists of pages.
std::int64_t end_of(const workload::Trace& trace, const Npu& npu, const lowering::Program& program) {
  lowering::MemoryMap map = lowering::map_memory(trace, npu.memory, npu.kv_page);
  lowering::map_lists(map, trace, npu);
  return map.end + program.spill.count();
}

struct Lower {
  PlacedProgram& program;
  std::size_t unit;

  void operator()(const Npu& npu) const {
    lowering::Program p = lowering::lower(program.trace, npu, lowering::wishes_of(program.trace, npu));
    program.bytes = std::max(program.bytes, Bytes(end_of(program.trace, npu, p)));
    program.lowered.push_back({unit, std::move(p)});
  }
  template <class D>
  void operator()(const D& device) const {
    if (!program.takes_turns())
      program.lowered.push_back({unit, lowering::lower_kernels(program.trace, device)});
    else
      program.lowered.push_back(
          {unit, lowering::lower_kernels(program.trace, device, program.shared, static_cast<int>(unit))});
  }
};

struct Renumber {
  int first, all;

  activity::OperatorId moved(activity::OperatorId op) const {
    return activity::OperatorId(activity::index(op) + first);
  }
  void names(std::vector<std::string>& names, int& operators) const {
    names.insert(names.begin(), static_cast<std::size_t>(first), "");
    names.resize(static_cast<std::size_t>(all));
    operators = all;
  }
  void operator()(lowering::Program& p) const {
    for (lowering::Command& c : p.commands) c.op = moved(c.op);
    names(p.operator_names, p.operators);
  }
  void operator()(lowering::KernelProgram& p) const {
    for (lowering::Kernel& k : p.kernels)
      for (lowering::KernelPart& part : k.parts) part.op = moved(part.op);
    names(p.operator_names, p.operators);
  }
};

bool has_work(const LoweredUnit& u) {
  const auto* kernels = std::get_if<lowering::KernelProgram>(&u.program);
  return !kernels || !kernels->kernels.empty();
}

void lower(PlacedProgram& program, std::vector<SystemUnit>& units, const config::Memory& memory) {
  program.bytes = lowering::memory_needed(program.trace, memory, 0) - memory.reserve;
  if (program.takes_turns()) {
    program.shared = lowering::share(program.trace, memory,
                                     std::vector<int>(program.unit_of.begin(), program.unit_of.end()));
    program.bytes = std::max(program.bytes, Bytes(program.shared.end));
  }
  for (const std::size_t unit : program.units)
    std::visit(Lower{program, unit}, units[unit].device.description());
  // Patterns of another unit may have taken all operators of one.
  const auto idle = std::stable_partition(program.lowered.begin(), program.lowered.end(), has_work);
  for (auto it = idle; it != program.lowered.end(); ++it) units[it->unit].program = -1;
  program.lowered.erase(idle, program.lowered.end());
}

// Programs lie behind each other, each from a granule of the first channel on; in which bank it begins follows from what
// lies before it.
void lay_out(std::vector<PlacedProgram>& programs, const config::Memory& memory) {
  const std::int64_t granules = memory.interleave.count() * memory.channels;
  std::int64_t next = 0;
  std::string sum;
  for (PlacedProgram& p : programs) {
    p.address = next;
    next = ceil_div(next + p.bytes.count(), granules) * granules;
    sum += fmt::format("{}{} {} B", sum.empty() ? "" : ", ", p.name, p.bytes.count());
  }
  const std::int64_t needed = next + memory.reserve.count();
  if (needed > memory.capacity.count())
    throw InfeasibleError(
        fmt::format("the programs do not fit the memory together: {} and a reserve of {} B need {} B in "
                    "whole granules of all channels, there are {} B",
                    sum, memory.reserve.count(), needed, memory.capacity.count()));
}

// A program with a quantisation of its own has the runtimes that it needs (runtime_for).
void take_runtimes(config::System& system, StepRequest request) {
  for (const config::SystemProgram& p : system.programs) {
    if (!p.quant) continue;
    request.quant = *p.quant;
    if (p.model) request.model = *p.model;
    const config::System its = config::read_system(hardware_of(request));
    for (const config::UnitPlacement& u : p.placement.units)
      for (std::size_t i = 0; i < its.units.size(); ++i)
        if (its.units[i].name == u.unit) system.units[i].tree = its.units[i].tree;
  }
}

struct Run {
  const lowering::Program* engines;
  const lowering::KernelProgram* kernels;
  std::variant<hardware::EnginesRun, hardware::CoresRun, hardware::KernelsRun> operator()(
      const Npu& d) const {
    return hardware::EnginesRun{d, *engines};
  }
  std::variant<hardware::EnginesRun, hardware::CoresRun, hardware::KernelsRun> operator()(
      const config::Cpu& d) const {
    return hardware::CoresRun{d, *kernels};
  }
  std::variant<hardware::EnginesRun, hardware::CoresRun, hardware::KernelsRun> operator()(
      const config::Gpu& d) const {
    return hardware::KernelsRun{d, *kernels};
  }
};

}  // namespace

PlacedSystem place(const StepRequest& request, const config::Value& tree) {
  PlacedSystem s{config::read_system(tree), tree, {}, {}, {}};
  take_runtimes(s.system, request);
  const energy::Table table = shared_table(s.system);
  s.shared = energy::shared_part(table);
  s.units = units_of(s.system, table);
  for (const config::SystemProgram& p : s.system.programs)
    s.programs.push_back(placed(request, p, s.units, static_cast<int>(s.programs.size())));
  int operators = 0;
  for (PlacedProgram& p : s.programs) {
    lower(p, s.units, s.system.memory);
    p.first = operators;
    operators += p.operators();
  }
  lay_out(s.programs, s.system.memory);
  for (PlacedProgram& p : s.programs)
    for (LoweredUnit& u : p.lowered) std::visit(Renumber{p.first, operators}, u.program);
  return s;
}

activity::Snapshot run(const PlacedSystem& s, bool burst_detail) {
  std::vector<hardware::ProgramRun> programs;
  std::vector<hardware::UnitRun> units;
  for (const PlacedProgram& p : s.programs) {
    const bool turns = p.lowered.size() > 1;
    for (const LoweredUnit& u : p.lowered) {
      const Run what{std::get_if<lowering::Program>(&u.program),
                     std::get_if<lowering::KernelProgram>(&u.program)};
      units.push_back({std::visit(what, s.units[u.unit].device.description()), s.units[u.unit].name,
                       static_cast<int>(programs.size()), p.address});
    }
    programs.push_back({p.operators(), turns ? p.shared.stages : 0, p.handover});
  }
  return hardware::run_system(s.system.memory, programs, units, burst_detail);
}

}  // namespace edgenpu::simulate_detail
