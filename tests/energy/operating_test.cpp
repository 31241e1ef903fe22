// Voltage, frequency, temperature, idle and gated states; areas and blocks.
#include <gtest/gtest.h>

#include "base/rates.h"
#include "energy/blocks.h"
#include "energy/floorplan.h"
#include "energy/split.h"
#include "energy/tiny.h"

namespace edgenpu::energy {
namespace {

using test::component;
using test::idle_run;
using test::tiny_run;
using test::tiny_sizes;
using test::tiny_table;

const std::vector<std::string> kConditions = {
    "energy.conditions={voltage: 0.9 V, temperature: 60 C, leakage_doubling: 15 K, leakage_exponent: 3, "
    "source: \"assumed: test\"}"};

Table at(double voltage, double temperature = 60, std::vector<std::string> more = {}) {
  std::vector<std::string> overrides = kConditions;
  overrides.push_back("energy.operating_point={voltage: " + std::to_string(voltage) +
                      " V, temperature: " + std::to_string(temperature) + " C}");
  overrides.insert(overrides.end(), more.begin(), more.end());
  return tiny_table(overrides);
}

double dynamic(const Table& table, const char* name) {
  return component(price(tiny_run(), table, tiny_sizes()), name).dynamic.count();
}

double leakage(const Table& table) {
  return prices_for(table, tiny_sizes()).components[5].leakage.count();
}

TEST(OperatingPoint, OfTheConditionsChangesNothing) {
  EXPECT_EQ(price(tiny_run(), at(0.9), tiny_sizes()).total().count(),
            price(tiny_run(), tiny_table(), tiny_sizes()).total().count());
}

// 1.0 GHz at 0.9 V to 0.5 GHz at 0.7 V: energy per operation x 0.605, power x 0.3025, area unchanged.
TEST(OperatingPoint, AtSevenNinthsOfTheVoltageCosts0605OfTheEnergyAndAtHalfTheClock03025OfThePower) {
  activity::Snapshot slow = tiny_run();
  slow.time = slow.time * 2;
  for (const char* name : {"matrix", "scratchpad", "interconnect", "clock_tree"}) {
    const double before = dynamic(at(0.9), name);
    const double after = component(price(slow, at(0.7), tiny_sizes()), name).dynamic.count();
    EXPECT_NEAR(after / before, 0.605, 0.0005) << name;
    const double power_before = before / 1, power_after = after / 2;
    EXPECT_NEAR(power_after / power_before, 0.3025, 0.0003) << name;
  }
  EXPECT_EQ(die_area(blocks_of(at(0.9), tiny_sizes(), Scope::die)).value,
            die_area(blocks_of(at(0.7), tiny_sizes(), Scope::die)).value);
}

TEST(OperatingPoint, LeavesWhatHasARailOfItsOwn) {
  EXPECT_EQ(dynamic(at(0.7), "dram_device"), dynamic(at(0.9), "dram_device"));
  const std::vector<std::string> fixed = {"energy.components.dram_interface.supply=fixed"};
  EXPECT_EQ(dynamic(at(0.7, 60, fixed), "dram_interface"), dynamic(at(0.9), "dram_interface"));
}

TEST(Leakage, DoublesWithTheTemperatureAndFollowsThePowerOfTheVoltage) {
  EXPECT_NEAR(leakage(at(0.9, 75)), 2 * leakage(at(0.9)), 1e-12);
  EXPECT_NEAR(leakage(at(0.9, 45)), leakage(at(0.9)) / 2, 1e-12);
  EXPECT_NEAR(leakage(at(0.45)), leakage(at(0.9)) / 8, 1e-12);
}

TEST(Leakage, IsNotTheConstantPower) {
  // The component also has 0.5 W that do not leak.
  const Prices p = prices_for(at(0.9), tiny_sizes());
  EXPECT_NEAR(p.components[5].static_power.count() - p.components[5].leakage.count(), 0.5, 1e-12);
}

TEST(OperatingPoint, WithoutConditionsIsAnError) {
  EXPECT_THROW(tiny_table({"energy.operating_point={voltage: 0.7 V}"}), InputError);
}

TEST(GatedPower, LeavesTheShareOfLeakageAndWhatTheTableSaysOfOthers) {
  const std::vector<std::string> gating = {
      "energy.gated={leakage_left: 0.1, left: {dram_device: 0.25}, source: \"assumed: test\"}",
      "energy.gated.left.source=\"assumed: test\""};
  const Table table = tiny_table(gating);
  const double leaks = 2 * 0.005 + 10 * 0.002;
  EXPECT_NEAR(gated_power(prices_for(table, tiny_sizes()), table).count(),
              (0.32 * 0.25 + leaks * 0.1 + 0.5) / 0.8, 1e-12);
}

// An idle memory is refreshed: its power is that of a second in which nothing else is counted.
TEST(IdlePower, IsThatOfASecondOfRefreshes) {
  Sizes sizes = tiny_sizes();
  sizes.refresh_ab_per_s = 2'048'000;
  activity::Snapshot second = idle_run();
  for (std::size_t c = 0; c < second.counters.size(); ++c)
    if (second.counters[c].name == "dram_refresh_ab") second.values[c] = {2'048'000, 0};
  const Prices prices = prices_for(tiny_table(), sizes);
  EXPECT_NEAR(idle_power(prices).count(), price(second, prices).total().count(), 1e-9);
  EXPECT_GT(idle_power(prices).count(), 1.01 * idle_power(prices_for(tiny_table(), tiny_sizes())).count());
}

TEST(IdlePower, OfAMemoryThatSleepsHasNoRefreshCommands) {
  const Table table =
      tiny_table({"energy.gated={leakage_left: 0.1, left: {dram_device: 0.25}, source: \"assumed: test\"}",
                  "energy.gated.left.source=\"assumed: test\""});
  Sizes sizes = tiny_sizes();
  sizes.refresh_pb_per_s = 16'384'000;
  EXPECT_NEAR(gated_power(prices_for(table, sizes), table).count(),
              gated_power(prices_for(table, tiny_sizes()), table).count(), 1e-12);
}

// 21.1 uJ over 10 000 cycles of 0.625 ns.
TEST(Power, IsEnergyOverTime) {
  activity::Snapshot run;
  run.time = Femtoseconds(std::int64_t{10'000} * 625'000);
  run.losses.resize(1);
  run.counters.push_back({"mac_int8", "", "", true});
  run.values.push_back({10'550'000});  // x 1 pJ x 2 = 21.1 uJ
  Table table = tiny_table();
  table.clock_tree.reset();
  table.regulator_efficiency.reset();
  const double joules = component(price(run, table, tiny_sizes()), "matrix").dynamic.count();
  EXPECT_NEAR(joules, 21.1e-6, 1e-15);
  EXPECT_NEAR(joules / to_seconds(run.time).count(), 3.376, 1e-9);
}

const std::vector<std::string> kAreas = {
    "energy.components.matrix.area={per_multiplier: 0.001 mm2, constant: 1 mm2, source: \"assumed: test\"}",
    "energy.components.scratchpad.area={per_scratchpad: {value: 1 mm2/MiB, low: 0.5 mm2/MiB, high: 2 "
    "mm2/MiB, source: \"assumed: test\", confidence: low}}",
    "energy.components.interconnect.area={per_channel: 0.5 mm2, source: \"assumed: test\"}",
    "energy.components.dram_interface.on=[interconnect]",
    "energy.components.dram_device.area={constant: 50 mm2, source: \"assumed: test\"}",
    "energy.components.leakage.on=[matrix, scratchpad]",
    "energy.regulator.area=10 mm2"};

Sizes sizes() {
  Sizes s = tiny_sizes();
  s.multipliers = 2000;
  s.channels = 4;
  return s;
}

TEST(Area, IsItsTermsTimesTheSizesWithTheirRanges) {
  const auto blocks = blocks_of(tiny_table(kAreas), sizes(), Scope::soc_dram);
  ASSERT_EQ(blocks.size(), 5u);
  EXPECT_NEAR(blocks[0].area.value, 3e-6, 1e-15);
  EXPECT_NEAR(blocks[1].area.value, 2e-6, 1e-15);
  EXPECT_NEAR(blocks[1].area.low, 1e-6, 1e-15);
  EXPECT_NEAR(blocks[1].area.high, 4e-6, 1e-15);
  EXPECT_NEAR(die_area(blocks).value, 7e-6, 1e-15);
  EXPECT_EQ(blocks[4].name, "regulator");
}

PowerTrace one_second(const Table& table) {
  activity::Snapshot run = tiny_run();
  run.windows.window = Femtoseconds(600'000'000'000'000);  // two windows, 0.6 and 0.4 s
  for (std::size_t c = 0; c < run.counters.size(); ++c) {
    const std::int64_t n = run.total(run.counters[c].name);
    run.windows.names.push_back(run.counters[c].name);
    run.windows.amounts.push_back({n / 4, n - n / 4});
  }
  return power_over_time(run, prices_for(table, sizes()), Scope::soc_dram);
}

TEST(PowerTrace, HasTheJoulesOfTheRunInEachComponent) {
  const Table table = tiny_table(kAreas);
  const StepEnergy run = price(tiny_run(), table, sizes());
  const PowerTrace t = one_second(table);
  ASSERT_EQ(t.names.size(), run.components.size());
  for (std::size_t i = 0; i < t.names.size(); ++i)
    EXPECT_NEAR(t.total(i).count(), run.components[i].total().count(), 1e-12) << t.names[i];
  EXPECT_NEAR(
      t.power(1).count(),
      t.energy[0][1] / 0.4 +
          [&] {
            double rest = 0;
            for (std::size_t i = 1; i < t.names.size(); ++i) rest += t.energy[i][1] / 0.4;
            return rest;
          }(),
      1e-9);
}

TEST(PowerByBlock, KeepsTheJoulesOfEveryWindow) {
  const Table table = tiny_table(kAreas);
  const PowerTrace components = one_second(table);
  const PowerTrace blocks = by_block(components, blocks_of(table, sizes(), Scope::soc_dram), table);
  for (std::size_t w = 0; w < 2; ++w)
    EXPECT_NEAR(blocks.power(w).count(), components.power(w).count(), 1e-12);
}

TEST(PowerByBlock, SharesLeakageByAreaAndClocksByWhatTheyFeed) {
  const Table table = tiny_table(kAreas);
  const PowerTrace c = one_second(table);
  const PowerTrace b = by_block(c, blocks_of(table, sizes(), Scope::soc_dram), table);
  const double leak = 0.53, clocks = 0.25 * 2.0;  // of the matrix's 2 J
  EXPECT_NEAR(b.total(0).count(), 2.0 + clocks + leak * 3 / 5, 1e-9);
}

TEST(PowerByBlock, RefusesPowerThatHasNoPlace) {
  std::vector<std::string> areas = kAreas;
  areas.erase(areas.begin() + 3);  // the interface has neither area nor `on`
  const Table table = tiny_table(areas);
  EXPECT_THROW(by_block(one_second(table), blocks_of(table, sizes(), Scope::soc_dram), table), InputError);
}

TEST(Floorplan, TilesARectangleWithTheBlocksAreas) {
  const auto blocks = blocks_of(tiny_table(kAreas), sizes(), Scope::soc_dram);
  const auto plan = pack(blocks);
  ASSERT_EQ(plan.size(), blocks.size());
  double sum = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_NEAR(plan[i].area(), blocks[i].area.value, 1e-4 * blocks[i].area.value) << plan[i].name;
    sum += plan[i].area();
    for (std::size_t j = 0; j < i; ++j) {
      const double x =
          std::min(plan[i].x + plan[i].width, plan[j].x + plan[j].width) - std::max(plan[i].x, plan[j].x);
      const double y =
          std::min(plan[i].y + plan[i].height, plan[j].y + plan[j].height) - std::max(plan[i].y, plan[j].y);
      EXPECT_FALSE(x > 1e-12 && y > 1e-12) << plan[i].name << " on " << plan[j].name;
    }
  }
  const Extent e = extent(plan);
  EXPECT_NEAR(e.width * e.height, sum, 1e-4 * sum);
}

config::Value plan_text(const std::string& text) {
  return config::parse_text("blocks:\n" + text, "plan.yaml");
}

TEST(Floorplan, IsReadFromADescription) {
  const std::vector<Block> blocks = {{"a", Scope::die, {1e-6, 1e-6, 1e-6}},
                                     {"b", Scope::die, {1e-6, 1e-6, 1e-6}}};
  const auto plan = read_floorplan(plan_text("  b: {x: 1 mm, y: 0 mm, width: 1 mm, height: 1 mm}\n  a: {x: 0 "
                                             "mm, y: 0 mm, width: 1 mm, height: 1 mm}\n"),
                                   blocks);
  EXPECT_EQ(plan[0].name, "a");
  EXPECT_NEAR(plan[1].x, 1e-3, 1e-12);
}

TEST(Floorplan, RefusesOverlapsMissingAndUnknownBlocks) {
  const std::vector<Block> blocks = {{"a", Scope::die, {1e-6, 1e-6, 1e-6}},
                                     {"b", Scope::die, {1e-6, 1e-6, 1e-6}}};
  const std::string a = "  a: {x: 0 mm, y: 0 mm, width: 1 mm, height: 1 mm}\n";
  EXPECT_THROW(
      read_floorplan(plan_text(a + "  b: {x: 0.5 mm, y: 0 mm, width: 1 mm, height: 1 mm}\n"), blocks),
      InputError);
  EXPECT_THROW(read_floorplan(plan_text(a), blocks), InputError);
  EXPECT_THROW(read_floorplan(plan_text(a + "  c: {x: 2 mm, y: 0 mm, width: 1 mm, height: 1 mm}\n"), blocks),
               InputError);
}

TEST(Split, SumsToOneWithTheRegulatorSharedOut) {
  const Table table =
      tiny_table({"energy.components.matrix.class=matrix", "energy.components.dram_device.class=memory"});
  const Prices prices = prices_for(table, tiny_sizes());
  const StepEnergy energy = price(tiny_run(), prices);
  const Split s = split(energy, prices);
  double sum = 0;
  for (const double share : s) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
  const double behind = energy.total().count() * 0.8;  // what the regulator feeds
  EXPECT_NEAR(s[static_cast<std::size_t>(Class::matrix)], 2.0 / behind, 1e-12);
  EXPECT_NEAR(s[static_cast<std::size_t>(Class::control)], 0.7 / behind, 1e-12);  // the clocks
}

}  // namespace
}  // namespace edgenpu::energy
