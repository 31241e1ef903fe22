// The energy tables that ship with the project.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "config/value.h"
#include "energy/price.h"

namespace edgenpu::energy {
namespace {

Table part(const std::string& name) {
  return read_table(
      config::parse_file(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/energy/" + name + ".yaml"));
}

std::map<std::string, config::Ranged> flat_prices(const Table& table) {
  std::map<std::string, config::Ranged> prices;
  for (const Component& c : table.components)
    for (const Charge& charge : c.charges) {
      const std::string key = c.name + "." + charge.action->name;
      if (charge.by_bank.empty()) prices[key] = charge.price;
      for (const BankPrice& b : charge.by_bank) prices[key + "." + std::to_string(b.bank.count())] = b.price;
    }
  return prices;
}

class ShippedTable : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, ShippedTable, ::testing::Values("npu-16nm", "npu-fpga"), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(ShippedTable, PricesEveryAction) {
  const Table table = part(GetParam());
  for (const Action& a : actions()) {
    int charges = 0;
    for (const Component& c : table.components)
      for (const Charge& charge : c.charges) charges += charge.action == &a;
    const std::string name = a.name;
    const bool of_another_device = name == "core_cycles";
    EXPECT_EQ(charges, of_another_device                                       ? 0
                       : name == "dram_read_bits" || name == "dram_write_bits" ? 2
                                                                               : 1)
        << name;
  }
}

TEST_P(ShippedTable, GivesEveryPriceARangeASourceAndAConfidence) {
  for (const auto& [name, price] : flat_prices(part(GetParam()))) {
    EXPECT_LT(price.low, price.high) << name;
    EXPECT_NE(price.source, "") << name;
    EXPECT_NE(price.confidence, "") << name;
  }
}

TEST_P(ShippedTable, SaysWhetherANumberIsDerivedOrAssumed) {
  for (const auto& [name, price] : flat_prices(part(GetParam())))
    EXPECT_TRUE(price.source.rfind("derived: ", 0) == 0 || price.source.rfind("assumed: ", 0) == 0) << name;
}

class KernelDeviceTable : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, KernelDeviceTable,
                         ::testing::Values("cpu-a76", "cpu-a78ae", "cpu-x86", "gpu-orin"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(KernelDeviceTable, PricesCyclesAndMemory) {
  const Table table = part(GetParam());
  for (const char* name : {"core_cycles", "dram_read_bits", "dram_write_bits", "dram_activate",
                           "dram_refresh_ab", "dram_refresh_pb"}) {
    int charges = 0;
    for (const Component& c : table.components)
      for (const Charge& charge : c.charges) charges += std::string(charge.action->name) == name;
    EXPECT_GE(charges, 1) << name;
  }
}

TEST_P(KernelDeviceTable, GivesEveryPriceARangeASourceAndAConfidence) {
  for (const auto& [name, price] : flat_prices(part(GetParam()))) {
    EXPECT_LT(price.low, price.high) << name;
    EXPECT_LE(price.low, price.value) << name;
    EXPECT_LE(price.value, price.high) << name;
    EXPECT_NE(price.source, "") << name;
    EXPECT_NE(price.confidence, "") << name;
  }
}

TEST(FpgaTable, IsTheAsicsTimesItsDeclaredFactors) {
  const auto asic = flat_prices(part("npu-16nm")), fpga = flat_prices(part("npu-fpga"));
  ASSERT_EQ(asic.size(), fpga.size());
  for (const auto& [name, price] : asic) {
    const std::string component = name.substr(0, name.find('.'));
    if (component == "dram_interface") continue;  // a number of its own
    const bool memory = component == "dram_device", sram = component == "scratchpad";
    const double value = memory ? 1
                         : sram ? 2
                                : 7,
                 low = memory || sram ? 1 : 3,
                 high = memory ? 1
                        : sram ? 4
                               : 14;
    EXPECT_NEAR(fpga.at(name).value / price.value, value, 1e-3 * value) << name;
    EXPECT_NEAR(fpga.at(name).low / price.low, low, 1e-3 * low) << name;
    EXPECT_NEAR(fpga.at(name).high / price.high, high, 1e-3 * high) << name;
  }
}

// A decode second worked out on paper from the same prices: 84 GB/s of 4-bit weights over int8 engines with 8
// MiB of scratchpad, 8 GiB of LPDDR5, 40 mm2 and 5 mm of wire.
TEST(AsicTable, GivesADecodeSecondTheWattsOfTheHandCalculation) {
  activity::Snapshot run;
  run.time = Femtoseconds(1'000'000'000'000'000);
  run.losses.resize(1);
  const auto count = [&](const char* name, double n) {
    run.counters.push_back({name, "", "", true});
    run.values.push_back({static_cast<std::int64_t>(n)});
  };
  const double bytes = 84e9, weights = 2 * bytes;
  count("dram_read_bits", bytes * 8);
  count("mac_int4_int8", weights);
  count("dequant_weights_int4", weights);
  count("scratchpad_write_B", bytes);
  count("scratchpad_read_B", bytes);
  count("interconnect_B", bytes);
  Sizes sizes;
  sizes.scratchpad = Bytes(8 << 20);
  sizes.scratchpad_bank = Bytes(256 << 10);
  sizes.memory = Bytes(std::int64_t{8} << 30);
  sizes.memory_rank = Bytes(std::int64_t{1} << 30);
  sizes.banks_per_rank = 16;
  const StepEnergy step = price(run, part("npu-16nm"), sizes);

  std::map<std::string, double> watts;
  for (const ComponentEnergy& c : step.components) watts[c.component] = c.total().count();
  EXPECT_NEAR(watts["dram_device"], 4.03, 0.01);                         // 672 Gbit/s x 6 pJ
  EXPECT_NEAR(watts["dram_interface"], 2.69, 0.01);                      // x 4 pJ
  EXPECT_NEAR(watts["dram_standby"], 0.296, 0.001);                      // 8 x 37 mW
  EXPECT_NEAR(watts["scratchpad"], 0.151, 0.001);                        // 2 x 84 GB/s x 0.9 pJ
  EXPECT_NEAR(watts["interconnect"], 0.269, 0.001);                      // 84 GB/s x 8 x 0.08 pJ x 5 mm
  EXPECT_NEAR(watts["matrix"] + watts["dequantisation"], 0.037, 0.001);  // 168 G/s x (0.2 + 0.02) pJ
  EXPECT_NEAR(watts["leakage_sram"] + watts["leakage_logic"], 0.140, 0.001);
  EXPECT_NEAR(watts["clock_tree"], 0.0806, 0.001);  // (0.151 + 0.269 + 0.037) x 0.15 / 0.85
  EXPECT_NEAR(step.total().count(), 9.197 / 0.85, 0.02);
}

}  // namespace
}  // namespace edgenpu::energy
