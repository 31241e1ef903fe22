#include "energy/dram_energy.h"

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
  const double read = static_cast<double>(a.read_bits) / 8, write = static_cast<double>(a.write_bits) / 8;
  const auto rank = static_cast<double>(a.rank.count());
  const double refreshed =
      rank * (static_cast<double>(a.refresh_ab) + static_cast<double>(a.refresh_pb) / a.banks);
  const double background =
      rank * (p.active_standby.value * a.active_standby.count() +
              p.precharge_standby.value * a.precharge_standby.count() +
              p.power_down.value * a.power_down.count() + p.self_refresh.value * a.self_refresh.count());
  return {{"device_core", Joules(p.read_core.value * read + p.write_core.value * write)},
          {"device_io", Joules(p.read_io.value * read + p.write_io.value * write)},
          {"activate", Joules(p.activate.value * static_cast<double>(a.activates))},
          {"refresh", Joules(p.refresh.value * refreshed)},
          {"background", Joules(background)},
          {"interface", Joules(p.interface.value * (read + write))}};
}

}  // namespace edgenpu::energy
