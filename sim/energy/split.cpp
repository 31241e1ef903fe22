#include "energy/split.h"

namespace edgenpu::energy {

Split split(const StepEnergy& energy, const Prices& prices) {
  Split joules{};
  double sum = 0;
  const auto add = [&](Class group, double amount) {
    joules[static_cast<std::size_t>(group)] += amount;
    sum += amount;
  };
  for (const ComponentEnergy& c : energy.components) {
    if (c.component == "regulator_loss") continue;
    if (c.component == "clock_tree") add(Class::control, c.total().count());
    for (const Prices::Payer& p : prices.components)
      if (p.name == c.component) add(p.group, c.total().count());
  }
  for (double& j : joules) j = sum > 0 ? j / sum : 0;
  return joules;
}

}  // namespace edgenpu::energy
