// The Orin Nano's energy table against the power log that it was fitted to (scripts/fit-orin prints the
// same).
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "config/resolve.h"
#include "energy/table.h"

namespace edgenpu::energy {
namespace {

struct Means {
  double n = 0, memory = 0, mhz = 0, input = 0, compute = 0, soc = 0;  // W

  double rest() const { return input - compute - soc; }
};

// Columns: time, memory load, memory clock, GPU load, GPU clock, CPU load, temperatures (2), input, rails
// (mW).
Means means(double least_memory, double most_memory, double most_gpu) {
  std::ifstream in(std::string(EDGENPU_SOURCE_DIR) + "/tests/data/energy/orin_nano_decode_trace.csv");
  Means m;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line[0] == 't') continue;
    std::vector<double> c;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) c.push_back(std::stod(cell));
    if (c[1] < least_memory || c[1] > most_memory || c[3] > most_gpu) continue;
    ++m.n;
    m.memory += c[1];
    m.mhz += c[4];
    m.input += c[8] / 1e3;
    m.compute += c[9] / 1e3;
    m.soc += c[10] / 1e3;
  }
  for (double* x : {&m.memory, &m.mhz, &m.input, &m.compute, &m.soc}) *x /= m.n;
  return m;
}

Table orin() {
  const std::string path = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/gpu/gpu-orin-nano.yaml";
  return read_table(*config::load_hardware_tree(path, {}).find("energy"));
}

const Component& part(const Table& table, const std::string& name) {
  for (const Component& c : table.components)
    if (c.name == name) return c;
  throw std::runtime_error("no component " + name);
}

double price(const Table& table, const char* component, const char* action) {
  for (const Charge& c : part(table, component).charges)
    if (std::string(c.action->name) == action) return c.price.value;
  throw std::runtime_error("no price");
}

TEST(OrinTable, HasTheIdlePowerOfTheLogsRails) {
  const Means idle = means(0, 1, 0);
  ASSERT_GT(idle.n, 300);
  const Table t = orin();
  EXPECT_NEAR(part(t, "idle_compute").statics[0].power.value, idle.compute, 0.005 * idle.compute);
  EXPECT_NEAR(part(t, "idle_soc").statics[0].power.value, idle.soc, 0.005 * idle.soc);
  EXPECT_NEAR(part(t, "idle_rest").statics[0].power.value, idle.rest(), 0.005 * idle.rest());
}

TEST(OrinTable, HasThePricesThatTheRailsRiseBy) {
  const Means idle = means(0, 1, 0), busy = means(81, 100, 100);
  ASSERT_GT(busy.n, 30);
  const double bytes = busy.memory / 100 * 102.4e9;
  const Table t = orin();
  const double cycle = (busy.compute - idle.compute) / (8 * busy.mhz * 1e6);
  EXPECT_NEAR(price(t, "gpu", "core_cycles"), cycle, 0.005 * cycle);
  const double interface = (busy.soc - idle.soc) / bytes, device = (busy.rest() - idle.rest()) / bytes;
  EXPECT_NEAR(price(t, "dram_interface", "dram_read_bits"), interface, 0.005 * interface);
  EXPECT_NEAR(price(t, "dram_device", "dram_read_bits"), device, 0.005 * device);
}

}  // namespace
}  // namespace edgenpu::energy
