#include "energy/dram_energy.h"

#include <utility>

namespace edgenpu::energy {

namespace {

constexpr config::RealRange kPerByte{0, 1e-9};
constexpr config::RealRange kPerEvent{0, 1e-6};
constexpr config::RealRange kPowerPerByte{0, 1e-8};

}  // namespace

DramPrices read_dram_prices(const config::Value& section, Diagnostics& out) {
  using namespace config;
  MapReader map(section, out, "energy");
  DramPrices p;
  p.read_core = map.ranged("read_core", unit::energy_per_data, kPerByte);
  p.write_core = map.ranged("write_core", unit::energy_per_data, kPerByte);
  p.read_io = map.ranged("read_io", unit::energy_per_data, kPerByte);
  p.write_io = map.ranged("write_io", unit::energy_per_data, kPerByte);
  p.activate = map.ranged("activate", unit::energy, kPerEvent);
  p.refresh = map.ranged("refresh", unit::energy_per_data, kPerByte);
  p.active_standby = map.ranged("active_standby", unit::power_per_data, kPowerPerByte);
  p.precharge_standby = map.ranged("precharge_standby", unit::power_per_data, kPowerPerByte);
  p.power_down = map.ranged("power_down", unit::power_per_data, kPowerPerByte);
  p.self_refresh = map.ranged("self_refresh", unit::power_per_data, kPowerPerByte);
  p.interface = map.ranged("interface", unit::energy_per_data, kPerByte);
  map.finish();
  return p;
}

std::vector<DramEnergyPart> dram_energy(const DramPrices& p, const DramActivity& a) {
  using config::Ranged;
  const double read = static_cast<double>(a.read_bits) / 8, write = static_cast<double>(a.write_bits) / 8;
  const auto rank = static_cast<double>(a.rank.count());
  const double refreshed =
      rank * (static_cast<double>(a.refresh_ab) + static_cast<double>(a.refresh_pb) / a.banks);
  std::vector<DramEnergyPart> parts;
  // Amounts, each with its price.
  const auto add = [&parts](const char* name, const std::vector<std::pair<double, const Ranged*>>& charges) {
    const auto sum = [&charges](double Ranged::*end) {
      double joules = 0;
      for (const auto& [amount, price] : charges) joules += amount * (price->*end);
      return Joules(joules);
    };
    parts.push_back({name, sum(&Ranged::value), sum(&Ranged::low), sum(&Ranged::high)});
  };
  add("device_core", {{read, &p.read_core}, {write, &p.write_core}});
  add("device_io", {{read, &p.read_io}, {write, &p.write_io}});
  add("activate", {{static_cast<double>(a.activates), &p.activate}});
  add("refresh", {{refreshed, &p.refresh}});
  add("background", {{rank * a.active_standby.count(), &p.active_standby},
                     {rank * a.precharge_standby.count(), &p.precharge_standby},
                     {rank * a.power_down.count(), &p.power_down},
                     {rank * a.self_refresh.count(), &p.self_refresh}});
  add("interface", {{read + write, &p.interface}});
  return parts;
}

}  // namespace edgenpu::energy
