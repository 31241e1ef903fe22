// Energy of a run, against sums done by hand.
#include "energy/price.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "energy/tiny.h"

namespace edgenpu::energy {
namespace {

using test::component;
using test::idle_run;
using test::tiny_run;
using test::tiny_sizes;
using test::tiny_table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StepEnergy tiny(Scope scope = Scope::soc_dram, const std::vector<std::string>& overrides = {}) {
  return price(tiny_run(), tiny_table(overrides), tiny_sizes(), scope);
}

double dynamic(const char* name) {
  return component(tiny(), name).dynamic.count();
}
double fixed(const char* name) {
  return component(tiny(), name).fixed.count();
}

TEST(Price, OfAMacCarriesTheOverheadOfItsProcessingElement) {
  EXPECT_DOUBLE_EQ(dynamic("matrix"), 1e12 * 1e-12 * 2);
}

TEST(Price, OfAnIntegerMacFallsByTheAdderBitsThatANarrowAccumulatorSaves) {
  const Table table = tiny_table({"energy.inputs.accumulator_bit=0.001 pJ"});
  Sizes narrow = tiny_sizes();
  narrow.accumulator_bits = 22;
  const double wide = component(price(tiny_run(), table, tiny_sizes()), "matrix").dynamic.count();
  const double saved = wide - component(price(tiny_run(), table, narrow), "matrix").dynamic.count();
  // 10 bits of 0.001 pJ on 1e12 MACs, with the overhead that the MACs carry.
  EXPECT_NEAR(saved, 1e12 * 10 * 0.001e-12 * table.pe_overhead->value, 1e-9);
}

TEST(Price, SaysWhenTheTableDoesNotKnowWhatANarrowAccumulatorSaves) {
  Sizes narrow = tiny_sizes();
  narrow.accumulator_bits = 22;
  const StepEnergy step = price(tiny_run(), tiny_table(), narrow);
  ASSERT_FALSE(step.notes.empty());
  EXPECT_NE(step.notes[0].find("accumulator's width"), std::string::npos);
}

TEST(Price, OfAScratchpadByteIsThatOfItsBankSize) {
  EXPECT_DOUBLE_EQ(dynamic("scratchpad"), 2e11 * 4e-12);
}

TEST(Price, OfAnInterconnectByteIsEightBitsTimesTheWire) {
  EXPECT_DOUBLE_EQ(dynamic("interconnect"), 5e10 * 8 * 0.1e-12 * 5);
}

TEST(Price, OfADramBitIsBilledInTheDeviceAndInTheInterface) {
  EXPECT_DOUBLE_EQ(dynamic("dram_interface"), 1e11 * 4e-12);
  // 16 per-bank refreshes restore what one all-bank refresh does: 16 nJ for the 1 GiB of a rank.
  EXPECT_DOUBLE_EQ(dynamic("dram_device"), 1e11 * 6e-12 + 1e6 * 16e-9 + 16e6 * 1e-9);
}

TEST(Price, OfStandingStillIsPowerTimesTime) {
  EXPECT_DOUBLE_EQ(fixed("dram_device"), 8 * 0.040);
  EXPECT_DOUBLE_EQ(fixed("leakage"), 2 * 0.005 + 10 * 0.002 + 0.5);
  EXPECT_DOUBLE_EQ(fixed("matrix"), 0);
}

TEST(Price, OfTheClockTreeIsItsShareOfItselfAndWhatItFeeds) {
  const double fed = 2.0 + 0.8;
  EXPECT_DOUBLE_EQ(dynamic("clock_tree"), 0.25 * fed);
  EXPECT_DOUBLE_EQ(dynamic("clock_tree") / (dynamic("clock_tree") + fed), 0.2);
}

TEST(Price, OfTheRegulatorIsWhatItLosesOnEverythingBehindIt) {
  const StepEnergy step = tiny();
  const double loss = component(step, "regulator_loss").total().count();
  const double total = step.total().count();
  EXPECT_NEAR((total - loss) / total, 0.8, 1e-12);
}

TEST(Price, TotalsTheHandSum) {
  const double dynamic_sum = 2.0 + 0.8 + 0.2 + 0.4 + 0.632 + 0.7;
  const double static_sum = 0.32 + 0.53;
  EXPECT_NEAR(tiny().total().count(), (dynamic_sum + static_sum) / 0.8, 1e-12);
}

TEST(Price, DoubledRaisesTheTotalByExactlyThatComponent) {
  Table before = tiny_table(), after = tiny_table({"energy.components.matrix.actions.mac_int8=2 pJ"});
  for (Table* t : {&before, &after}) {
    t->clock_tree.reset();
    t->regulator_efficiency.reset();
  }
  const StepEnergy a = price(tiny_run(), before, tiny_sizes()), b = price(tiny_run(), after, tiny_sizes());
  ASSERT_EQ(a.components.size(), b.components.size());
  for (std::size_t i = 0; i < a.components.size(); ++i) {
    const double factor = a.components[i].component == "matrix" ? 2 : 1;
    EXPECT_EQ(b.components[i].total().count(), factor * a.components[i].total().count())
        << a.components[i].component;
  }
  EXPECT_NEAR(b.total().count() - a.total().count(), component(a, "matrix").total().count(), 1e-12);
}

TEST(Price, DoubledRaisesClocksAndRegulatorInProportion) {
  const double rise =
      tiny(Scope::soc_dram, {"energy.components.matrix.actions.mac_int8=2 pJ"}).total().count() -
      tiny().total().count();
  EXPECT_NEAR(rise, 2.0 / 0.8 / 0.8, 1e-12);  // matrix, over (1 - clock share), over efficiency
}

TEST(Price, OfAnIdleSecondIsTheStaticPower) {
  const StepEnergy step = price(idle_run(), tiny_table(), tiny_sizes());
  EXPECT_NEAR(step.total().count(), (0.32 + 0.53) / 0.8, 1e-12);
  EXPECT_NEAR(idle_power(prices_for(tiny_table(), tiny_sizes())).count(), step.total().count(), 1e-12);
}

TEST(Price, OfAnOperatorIsThatOfItsOwnCounts) {
  const StepEnergy step = tiny();
  ASSERT_EQ(step.operators.size(), 2u);
  EXPECT_NEAR(step.operators[0].count(), 2.0 + 0.4 + 0.3 + 0.016, 1e-12);
  EXPECT_NEAR(step.operators[1].count(), 0.4 + 0.2 + 0.7 + 0.016, 1e-12);
}

TEST(Price, OfAllOperatorsIsTheDynamicEnergyWithoutClocksAndRegulator) {
  const StepEnergy step = tiny();
  double components = 0;
  for (const ComponentEnergy& c : step.components)
    if (c.component != "clock_tree" && c.component != "regulator_loss") components += c.dynamic.count();
  EXPECT_NEAR(step.operators[0].count() + step.operators[1].count(), components, 1e-12);
}

TEST(Scope, DieLeavesOutMemoryDevicesAndRegulator) {
  const StepEnergy step = tiny(Scope::die);
  std::vector<std::string> names;
  for (const ComponentEnergy& c : step.components) names.push_back(c.component);
  EXPECT_THAT(names,
              ElementsAre("matrix", "scratchpad", "interconnect", "dram_interface", "leakage", "clock_tree"));
  EXPECT_NEAR(step.operators[0].count(), 2.0 + 0.4 + 30e9 * 4e-12, 1e-12);
}

TEST(Scope, ModuleAddsWhatIsNotBehindTheRegulator) {
  EXPECT_NEAR(tiny(Scope::module).total().count() - tiny().total().count(), 2.0, 1e-12);
}

TEST(Scope, BeyondTheTableIsRefused) {
  try {
    tiny(Scope::wall);
    FAIL() << "a scope that the table does not describe was priced";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("the energy table covers module; power of scope wall was asked for"));
  }
}

double scratchpad_price(Bytes bank) {
  Sizes sizes = tiny_sizes();
  sizes.scratchpad_bank = bank;
  return component(price(tiny_run(), tiny_table(), sizes), "scratchpad").dynamic.count() / 2e11 * 1e12;
}

TEST(BankPrice, IsInterpolatedInTheLogarithms) {
  EXPECT_NEAR(scratchpad_price(Bytes(128 << 10)), 2, 1e-12);                 // halfway from 1 to 4
  EXPECT_NEAR(scratchpad_price(Bytes(512 << 10)), 4 * std::sqrt(2), 1e-12);  // halfway from 4 to 8
  EXPECT_DOUBLE_EQ(scratchpad_price(Bytes(64 << 10)), 1);
  EXPECT_DOUBLE_EQ(scratchpad_price(Bytes(1 << 20)), 8);
}

TEST(BankPrice, OutsideTheSizesExtendsTheNearestSegmentAndSaysSo) {
  EXPECT_NEAR(scratchpad_price(Bytes(32 << 10)), 0.5, 1e-12);
  EXPECT_NEAR(scratchpad_price(Bytes(4 << 20)), 16, 1e-12);
  Sizes sizes = tiny_sizes();
  sizes.scratchpad_bank = Bytes(32 << 10);
  EXPECT_THAT(
      price(tiny_run(), tiny_table(), sizes).notes,
      ElementsAre(
          "scratchpad_read_B: a bank of 32 KiB lies outside the priced sizes, 64 KiB to 1 MiB; the price "
          "is extrapolated"));
  EXPECT_THAT(tiny().notes, IsEmpty());
}

TEST(BankPrice, DoesNotFallBelowThatOfAQuarterOfTheSmallestSize) {
  EXPECT_NEAR(scratchpad_price(Bytes(16 << 10)), 0.25, 1e-12);
  EXPECT_NEAR(scratchpad_price(Bytes(32)), 0.25, 1e-12);
  Sizes sizes = tiny_sizes();
  sizes.scratchpad_bank = Bytes(32);
  EXPECT_THAT(
      price(tiny_run(), tiny_table(), sizes).notes,
      ElementsAre(
          "scratchpad_read_B: a bank of 32 B lies outside the priced sizes, 64 KiB to 1 MiB; the price "
          "is that of a bank of 16 KiB, extrapolated"));
}

TEST(Coverage, HoldsWhenCountsAndPricesMatch) {
  EXPECT_TRUE(tiny().coverage.ok()) << tiny().coverage.detail();
}

TEST(Coverage, NamesABillableCounterWithoutAPrice) {
  activity::Snapshot run = tiny_run();
  run.counters.push_back({"mac_int4_int8", "MACs", "", true});
  run.values.push_back({1, 2});
  run.counters.push_back({"dma_descriptors", "descriptors", "", false});  // not billable: needs none
  run.values.push_back({1, 2});
  const Coverage c = price(run, tiny_table(), tiny_sizes()).coverage;
  EXPECT_FALSE(c.ok());
  EXPECT_EQ(c.detail(), "counted but without a price: mac_int4_int8");
}

TEST(Coverage, NamesAPriceWhoseCounterTheRunDoesNotHave) {
  activity::Snapshot run = tiny_run();
  run.counters[0].name = "macs";
  run.counters[0].billable = false;
  EXPECT_EQ(price(run, tiny_table(), tiny_sizes()).coverage.detail(),
            "priced but never counted by this hardware: mac_int8");
}

TEST(Coverage, AcceptsAPriceThatIsListedAsNotApplicable) {
  activity::Snapshot run = tiny_run();
  run.counters[0].name = "macs";
  run.counters[0].billable = false;
  EXPECT_TRUE(price(run, tiny_table({"energy.not_applicable=[mac_int8]"}), tiny_sizes()).coverage.ok());
}

TEST(Coverage, NamesWhatHappenedThoughListedAsNotApplicable) {
  EXPECT_EQ(tiny(Scope::soc_dram, {"energy.not_applicable=[mac_int8]"}).coverage.detail(),
            "counted though listed as not applicable: mac_int8");
}

TEST(Coverage, JudgesTheWholeTableWhateverTheScope) {
  EXPECT_TRUE(tiny(Scope::die).coverage.ok());
}

}  // namespace
}  // namespace edgenpu::energy
