// What one run of a system was, taken apart: by program, by unit, and what is shared.
#pragma once

#include "activity/snapshot.h"
#include "energy/price.h"
#include "result/system_result.h"
#include "simulate/system_programs.h"

namespace edgenpu::simulate_detail {

// The operators of a program, with its time, its losses and the engines of its units.
activity::Snapshot of_program(const activity::Snapshot& run, const PlacedSystem& system, std::size_t program);

// What everything cost, before it is divided among programs.
class SystemEnergy {
 public:
  SystemEnergy(const activity::Snapshot& run, const PlacedSystem& system);

  // As the step's: components of its units by "unit.component", and its part of what is shared.
  energy::StepEnergy of_program(std::size_t program) const;
  const energy::StepEnergy& of_unit(std::size_t unit) const { return units_[unit]; }
  // Of the DRAM actions for a unit's operators.
  Joules dram_of_unit(std::size_t unit) const { return dram_[unit]; }
  Joules total() const;
  // Static power of what is shared.
  Joules shared_static() const;

 private:
  const PlacedSystem& system_;
  std::vector<energy::StepEnergy> units_;  // [unit]
  std::vector<Joules> dram_;               // [unit]
  energy::StepEnergy shared_;
  energy::Prices shared_prices_;
  std::vector<energy::StepEnergy> shared_of_;  // [program] dynamic parts only
};

}  // namespace edgenpu::simulate_detail
