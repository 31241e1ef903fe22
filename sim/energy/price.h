// What a run cost: counts x prices + static power x time, component by component. Pure functions of the
// activity, the table and the sizes of the hardware; nothing is scaled to fit.
//
// Derived components, after those of the table:
//   clock_tree      share / (1 - share) x the dynamic energy of the components that it feeds, so that it is
//                   `share` of the two together; clocks are thus gated with the work
//   regulator_loss  (1 / efficiency - 1) x every component of the scope that is fed through it (die and
//                   soc+dram)
// A scope takes in its own components and those of all smaller scopes; the regulator is part of soc+dram.
// At an operating point other than the table's conditions, the prices of components on the core supply are
// x (V / V0)^2 and leakage (power per scratchpad or logic area) x (V / V0)^exponent x 2^((T - T0) /
// doubling). A bank size outside the table's sizes extends the nearest segment of the log-log curve, down to a
// quarter of the smallest size, whose price then holds; a note says so.
#pragma once

#include <string>
#include <vector>

#include "activity/snapshot.h"
#include "base/quantity.h"
#include "energy/table.h"

namespace edgenpu::energy {

// What of the hardware a price depends on.
struct Sizes {
  Bytes scratchpad{0};       // all banks
  Bytes scratchpad_bank{0};  // one bank
  Bytes memory{0};           // DRAM, all channels and ranks
  Bytes memory_rank{0};      // one rank of one channel
  std::int64_t banks_per_rank = 1;
  int accumulator_bits = 32;  // of the integer engines
  // Commands a second of all channels and ranks, whether the memory is used or not.
  double refresh_ab_per_s = 0, refresh_pb_per_s = 0;
  // What areas depend on.
  std::int64_t multipliers = 0, engines = 0, lanes = 0, channels = 0;
  std::int64_t cores = 0;  // beside the engines; 0 if nothing is placed on them: they are off then
};

// The table for given sizes: joules per count, watts.
struct Prices {
  struct Item {
    const Action* action;
    std::size_t component;
    Joules per_count;
  };
  struct Payer {
    std::string name;
    Scope scope;
    Watts static_power;  // leakage and the rest
    Watts leakage{0};    // of it
    Watts refresh{0};    // of an idle memory; priced by counts while a step runs
    Class group = Class::fixed;
  };
  Position table;
  Scope covers = Scope::soc_dram;
  std::vector<Payer> components;
  std::vector<Item> items;
  double clock_share = 0;
  std::vector<std::size_t> clocked;  // components that the clock tree feeds
  bool has_clock_tree = false, has_regulator = false;
  double regulator_efficiency = 1;
  std::vector<std::string> not_applicable;
  std::vector<std::string> notes;
};

Prices prices_for(const Table& table, const Sizes& sizes);
// Of cores that are not there, or off: it has no price then.
bool is_absent(const Component& component, const Sizes& sizes);

// Section 5, rule 4: every priced action has a count and every billable count a price.
struct Coverage {
  std::vector<std::string> unpriced;        // billable counters of the run that the table does not price
  std::vector<std::string> uncounted;       // prices whose counter the run did not declare as billable
  std::vector<std::string> not_applicable;  // counted, though the table says that it cannot happen

  bool ok() const { return unpriced.empty() && uncounted.empty() && not_applicable.empty(); }
  std::string detail() const;
};

Coverage coverage(const activity::Snapshot& snapshot, const Prices& prices);

struct ComponentEnergy {
  std::string component;
  Joules dynamic{0}, fixed{0};  // counts x prices (or what is derived from them); static power x time

  Joules total() const { return dynamic + fixed; }
};

struct StepEnergy {
  Scope scope = Scope::soc_dram;
  std::vector<ComponentEnergy> components;
  // [operator] counts x prices of its own counts, in the scope; static power, clocks and regulator are not
  // shared out.
  std::vector<Joules> operators;
  Coverage coverage;
  std::vector<std::string> notes;

  Joules total() const;
};

// Throws InputError if the scope is wider than the table covers.
StepEnergy price(const activity::Snapshot& snapshot, const Prices& prices, Scope scope = Scope::soc_dram);
StepEnergy price(const activity::Snapshot& snapshot, const Table& table, const Sizes& sizes,
                 Scope scope = Scope::soc_dram);

// What flows in the scope when nothing happens (clocks stopped, supplies on), regulator included: static power
// and the refreshes of an idle memory.
Watts idle_power(const Prices& prices, Scope scope = Scope::soc_dram);
// The same with the table's power gating, refreshes where no component of the memory falls asleep; equal to
// idle_power() without gating.
Watts gated_power(const Prices& prices, const Table& table, Scope scope = Scope::soc_dram);

}  // namespace edgenpu::energy
