#include "simulate/system_books.h"

#include <algorithm>

#include "energy/actions.h"

namespace edgenpu::simulate_detail {

namespace {

using activity::Snapshot;

template <class T>
std::vector<T> slice(const std::vector<T>& all, int first, int count) {
  return {all.begin() + first, all.begin() + first + count};
}

bool is_dram(const std::string& counter) {
  return counter.rfind("dram_", 0) == 0;
}

// What the operators that `mine` takes counted of anything billable, beside the counters of `names` that nobody counted:
// a price is missed where either is missing.
template <class Keep, class Mine>
Snapshot counted(const Snapshot& run, const std::vector<std::string>& names, const Keep& keep,
                 const Mine& mine) {
  Snapshot s;
  s.time = run.time;
  s.channels = run.channels;
  s.losses.resize(run.losses.size());
  const auto add = [&](const activity::CounterInfo& info, std::vector<std::int64_t> values) {
    s.counters.push_back(info);
    s.values.push_back(std::move(values));
  };
  std::vector<std::string> rest = names;
  for (std::size_t c = 0; c < run.counters.size(); ++c) {
    const activity::CounterInfo& info = run.counters[c];
    if (!info.billable || !keep(info.name)) continue;
    std::vector<std::int64_t> values(run.losses.size(), 0);
    bool any = false;
    for (std::size_t op = 0; op < values.size(); ++op)
      if (mine(op)) any |= (values[op] = run.values[c][op]) != 0;
    const auto named = std::find(rest.begin(), rest.end(), info.name);
    if (any || named != rest.end()) add(info, std::move(values));
    if (named != rest.end()) rest.erase(named);
  }
  for (const std::string& name : rest)
    if (const energy::Action* action = energy::find_action(name); keep(name))
      add({name, action->unit, action->description, true}, std::vector<std::int64_t>(run.losses.size(), 0));
  return s;
}

// -1: of another program.
std::vector<int> unit_of_operator(const PlacedSystem& system) {
  std::vector<int> units;
  for (const PlacedProgram& p : system.programs)
    for (const std::size_t u : p.unit_of) units.push_back(static_cast<int>(u));
  return units;
}

Joules dynamic_of(const energy::StepEnergy& e) {
  Joules sum(0);
  for (const energy::ComponentEnergy& c : e.components) sum += c.dynamic;
  return sum;
}

}  // namespace

Snapshot of_program(const Snapshot& run, const PlacedSystem& system, std::size_t program) {
  const PlacedProgram& p = system.programs[program];
  Snapshot s;
  s.time = run.programs.empty() ? run.time : run.programs[program].time;
  s.channels = run.channels;
  s.counters = run.counters;
  for (const auto& values : run.values) s.values.push_back(slice(values, p.first, p.operators()));
  s.losses = slice(run.losses, p.first, p.operators());
  for (const LoweredUnit& u : p.lowered)
    for (const activity::EngineTimes& e : run.engines)
      if (e.name.rfind(system.units[u.unit].name + ".", 0) == 0) s.engines.push_back({e.name, e.times, {}});
  for (const std::string& note : run.notes)
    for (const LoweredUnit& u : p.lowered)
      if (note.rfind(system.units[u.unit].name + ": ", 0) == 0) s.notes.push_back(note);
  s.events = run.events;
  return s;
}

SystemEnergy::SystemEnergy(const Snapshot& run, const PlacedSystem& system) : system_(system) {
  const std::vector<int> unit_of = unit_of_operator(system);
  shared_prices_ = energy::prices_for(system.shared, system.units.front().device.sizes());
  const std::vector<std::string> dram = {"dram_read_bits", "dram_write_bits", "dram_activate",
                                         "dram_refresh_ab", "dram_refresh_pb"};
  const auto all = [](std::size_t) { return true; };
  shared_ = energy::price(counted(run, dram, is_dram, all), shared_prices_);
  for (std::size_t u = 0; u < system.units.size(); ++u) {
    const SystemUnit& unit = system.units[u];
    const auto mine = [&](std::size_t op) { return unit_of[op] == static_cast<int>(u); };
    const auto own = [](const std::string& name) { return !is_dram(name); };
    units_.push_back(energy::price(counted(run, unit.device.counted(), own, mine),
                                   energy::prices_for(unit.table, unit.device.sizes())));
    dram_.push_back(dynamic_of(energy::price(counted(run, dram, is_dram, mine), shared_prices_)));
  }
  for (const PlacedProgram& p : system.programs) {
    const auto mine = [&](std::size_t op) {
      return static_cast<int>(op) >= p.first && static_cast<int>(op) < p.first + p.operators();
    };
    shared_of_.push_back(energy::price(counted(run, dram, is_dram, mine), shared_prices_));
  }
}

energy::StepEnergy SystemEnergy::of_program(std::size_t program) const {
  const PlacedProgram& p = system_.programs[program];
  const auto programs = static_cast<double>(system_.programs.size());
  energy::StepEnergy e;
  e.scope = shared_.scope;
  e.coverage = shared_.coverage;
  std::vector<Joules> operators(static_cast<std::size_t>(p.operators()), Joules(0));
  const auto add_operators = [&](const energy::StepEnergy& of) {
    for (int op = 0; op < p.operators(); ++op)
      operators[static_cast<std::size_t>(op)] += of.operators[static_cast<std::size_t>(p.first + op)];
  };
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const bool idle = system_.units[u].program < 0;
    if (!idle && system_.units[u].program != static_cast<int>(program)) continue;
    for (energy::ComponentEnergy c : units_[u].components) {
      c.component = system_.units[u].name + "." + c.component;
      if (idle) c.fixed = Joules(c.fixed.count() / programs);
      e.components.push_back(c);
    }
    const energy::Coverage& coverage = units_[u].coverage;
    for (auto list :
         {&energy::Coverage::unpriced, &energy::Coverage::uncounted, &energy::Coverage::not_applicable})
      (e.coverage.*list).insert((e.coverage.*list).end(), (coverage.*list).begin(), (coverage.*list).end());
    if (!idle) add_operators(units_[u]);
    e.notes.insert(e.notes.end(), units_[u].notes.begin(), units_[u].notes.end());
  }
  for (energy::ComponentEnergy c : shared_of_[program].components) {
    c.fixed = Joules(c.fixed.count() / programs);
    e.components.push_back(c);
  }
  add_operators(shared_of_[program]);
  e.operators = std::move(operators);
  return e;
}

Joules SystemEnergy::total() const {
  Joules sum = shared_.total();
  for (const energy::StepEnergy& e : units_) sum += e.total();
  return sum;
}

Joules SystemEnergy::shared_static() const {
  Joules sum(0);
  for (const energy::ComponentEnergy& c : shared_.components) sum += c.fixed;
  return sum;
}

}  // namespace edgenpu::simulate_detail
