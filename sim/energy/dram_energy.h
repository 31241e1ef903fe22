// What DRAM commands cost, device by device type: the `energy:` section of a memory part, priced on the
// command counts and power states of a memory bench. (A run's platform is priced by its own table,
// energy/table.h.)
//
//   device_core  bits read and written, above active standby
//   device_io    the same, output drivers and termination
//   activate     a row opened and closed, all dies of the rank
//   refresh      capacity refreshed
//   background   standby, power-down and self-refresh power over the time spent in each
//   interface    PHY and controller on the host's side, per bit
//
// Left out: data-dependent IO, power-state transitions, clocks of an idle interface.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "config/reader.h"

namespace edgenpu::energy {

struct DramPrices {
  config::Ranged read_core, write_core, read_io, write_io;                     // J/B
  config::Ranged activate;                                                     // J
  config::Ranged refresh;                                                      // J/B
  config::Ranged active_standby, precharge_standby, power_down, self_refresh;  // W/B
  config::Ranged interface;                                                    // J/B
};

struct DramActivity {
  std::int64_t read_bits = 0, write_bits = 0, activates = 0, refresh_ab = 0, refresh_pb = 0;
  Bytes rank{0};  // of one channel
  int banks = 1;  // of a rank
  // Summed over ranks.
  Seconds active_standby{0}, precharge_standby{0}, power_down{0}, self_refresh{0};
};

struct DramEnergyPart {
  std::string component;
  Joules energy{0}, low{0}, high{0};  // low, high: with all prices at that end of their ranges
};

DramPrices read_dram_prices(const config::Value& section, Diagnostics& out);

std::vector<DramEnergyPart> dram_energy(const DramPrices& prices, const DramActivity& activity);

}  // namespace edgenpu::energy
