// A description and its energy table, held against each other before anything runs.
#include "simulate/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/error.h"
#include "config/resolve.h"
#include "energy/complete.h"
#include "simulate.h"
#include "support/leaves.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

using config::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFolder = EDGENPU_SOURCE_DIR + std::string("/hw_configs");

Value tree_of(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return config::load_hardware_tree(test::hardware_file(name), overrides, "", kFolder);
}

std::string error_of(const Value& tree) {
  try {
    check_hardware(tree);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::vector<std::string> notes_of(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const Value tree = tree_of(name, overrides);
  return simulate_detail::description_notes(simulate_detail::Device(tree),
                                            energy::read_table(*tree.find("energy")), tree);
}

// Without what lies at a path.
Value without(const Value& tree, const std::string& parent, const std::string& key) {
  test::Steps steps;
  for (std::size_t begin = 0; begin < parent.size();) {
    const std::size_t end = std::min(parent.find('.', begin), parent.size());
    steps.push_back(parent.substr(begin, end - begin));
    begin = end + 1;
  }
  return test::changed(tree, steps, [&](const Value& map) {
    Value less = map;
    less.erase(key);
    return less;
  });
}

TEST(Description, MayNotMisspellWhatOnlyOtherCommandsRead) {
  EXPECT_THAT(error_of(tree_of("npu-raiderchip-asic", {"arithmetic.accumulator_bts=8"})),
              AllOf(HasSubstr("--set arithmetic.accumulator_bts=8: unknown key 'accumulator_bts'"),
                    HasSubstr("did you mean 'accumulator_bits'")));
  EXPECT_THAT(error_of(tree_of("npu-raiderchip-asic", {"arithmetic.tile_k=100"})),
              HasSubstr("multiples of 256"));
  EXPECT_THAT(error_of(tree_of("npu-raiderchip-asic", {"memory.energy=5"})),
              HasSubstr("'memory.energy' must be a section (a map), found '5'"));
  EXPECT_THAT(error_of(tree_of("cpu-rk3588", {"memory.energy.read_cor=1 pJ/bit"})),
              HasSubstr("did you mean 'read_core'"));
  EXPECT_THAT(error_of(tree_of("gpu-orin-nano", {"memory.energy.read_core=100 pJ/bit"})), IsEmpty());
}

TEST(Description, NeedsAPriceOfWhatItCounts) {
  const Value tree = tree_of("npu-raiderchip-asic");
  for (const char* action : {"matrix.actions.mac_bf16", "vector.actions.vector_fma",
                             "control.actions.control_instructions", "dram_device.actions.dram_activate"}) {
    const std::string path = std::string("energy.components.") + action;
    const std::size_t dot = path.rfind('.');
    EXPECT_THAT(error_of(without(tree, path.substr(0, dot), path.substr(dot + 1))),
                HasSubstr("the energy table has no price of '" + path.substr(dot + 1) +
                          "', which this hardware counts"));
  }
}

TEST(Description, NeedsACountOfWhatItPrices) {
  const Value tree =
      without(without(tree_of("npu-raiderchip-asic"), "matrix.rate", "bf16"), "matrix.rate.source", "bf16");
  EXPECT_THAT(error_of(tree),
              AllOf(HasSubstr("npu-16nm.yaml:"), HasSubstr("'mac_bf16' is priced, but this hardware "
                                                           "never counts it, for want of "
                                                           "matrix.rate.bf16")));
  Value listed = tree;
  config::set_path(listed, "energy.not_applicable", config::parse_text("[mac_bf16]", "x"));
  EXPECT_EQ(error_of(listed), "");
}

// Every section of a component, and every section of the table, taken away in turn. A whole component may be one of
// several that cost the same sort of power; then nothing says that it was there.
TEST(Description, WithoutAPieceOfItsEnergyTableIsRefused) {
  const std::set<std::string> optional = {"rail",      "class", "supply", "conditions", "operating_points",
                                          "gated",     "area",  "blocks", "part",       "left_out",
                                          "technology"};
  for (const char* name : {"npu-raiderchip-asic", "npu-raiderchip-fpga", "cpu-rk3588", "cpu-i5-12400",
                           "gpu-orin-nano", "cpu-cortex-a78ae", "npu-rk3588"}) {
    const Value tree = tree_of(name);
    ASSERT_EQ(error_of(tree), "") << name;
    test::Steps at;
    test::walk(*tree.find("energy"), at, [&](const test::Steps& steps, const Value& value) {
      const std::string key = steps.back();
      const bool in_component = steps.size() == 3 && steps[0] == "components";
      const bool price =
          steps.size() == 4 && steps[0] == "components" && (steps[2] == "actions" || steps[2] == "static");
      if (!(steps.size() == 1 || in_component || price) || optional.count(key) || key == "source" ||
          value.is_scalar())
        return;
      std::string parent = "energy";
      for (std::size_t i = 0; i + 1 < steps.size(); ++i) parent += "." + steps[i];
      EXPECT_NE(error_of(without(tree, parent, key)), "") << name << " without " << parent << "." << key;
    });
  }
}

TEST(Description, SaysWhichPartIsLeftOutAndWhy) {
  const Value tree = without(tree_of("npu-raiderchip-asic"), "energy", "regulator");
  EXPECT_THAT(error_of(tree),
              HasSubstr("the energy table lacks the section 'regulator', which would cost nothing; price "
                        "it, or say why not: left_out: {regulator: \"reason\"}"));
  Value said = tree;
  config::set_path(said, "energy.left_out", config::parse_text("{regulator: measured before it}", "x"));
  EXPECT_EQ(error_of(said), "");
  Value contradiction = tree_of("npu-raiderchip-asic");
  config::set_path(contradiction, "energy.left_out", config::parse_text("{regulator: x, regulater: y}", "x"));
  EXPECT_THAT(error_of(contradiction), AllOf(HasSubstr("'regulator' is left out, but the table has"),
                                             HasSubstr("did you mean 'regulator'")));
}

TEST(Description, HasNoEmptyComponentAndNoEmptyScope) {
  EXPECT_THAT(error_of(tree_of("npu-raiderchip-asic", {"energy.components.foo.scope=die"})),
              HasSubstr("component 'foo' has neither actions nor static power nor an area"));
  EXPECT_THAT(error_of(tree_of("npu-raiderchip-asic", {"energy.covers=wall"})),
              HasSubstr("'covers': nothing of the table lies in the scope 'wall'"));
}

TEST(Description, RefusesRangesAndTemperaturesThatNothingReads) {
  EXPECT_THAT(error_of(tree_of("npu-raiderchip-asic", {"energy.conditions.temperature.low=10 C"})),
              HasSubstr("'temperature': has 'low', of which no result says anything"));
  EXPECT_THAT(error_of(tree_of("cpu-rk3588", {"energy.operating_point.temperature=80 C"})),
              HasSubstr("nothing of this table leaks"));
}

TEST(DescriptionNotes, AreNoneForTheShippedNpu) {
  EXPECT_THAT(notes_of("npu-raiderchip-asic"), IsEmpty());
  EXPECT_THAT(notes_of("gpu-orin-nano"), IsEmpty());
}

TEST(DescriptionNotes, NameAProcessThatIsNotThatOfThePrices) {
  EXPECT_THAT(notes_of("npu-raiderchip-asic", {"process=3 nm"}),
              Contains(AllOf(HasSubstr("process '3 nm' is a name"), HasSubstr("16/12 nm FinFET"))));
  EXPECT_THAT(notes_of("npu-raiderchip-asic", {"process=12 nm"}), IsEmpty());
}

TEST(DescriptionNotes, NameAClockBeyondTheOperatingPointsAndAVoltageBelowThem) {
  EXPECT_THAT(
      notes_of("npu-raiderchip-asic", {"clock=4 GHz"}),
      Contains(HasSubstr("the clock of 4000 MHz is beyond the energy table's operating points, whose last is "
                         "1000 MHz at 0.8 V")));
  EXPECT_THAT(notes_of("npu-raiderchip-asic", {"energy.operating_point.voltage=0.7 V"}),
              Contains(HasSubstr("ask for 0.8 V at 1000 MHz; prices are for 0.7 V")));
  EXPECT_THAT(
      notes_of("npu-raiderchip-asic", {"energy.operating_point.voltage=1 V"}),
      Contains(HasSubstr("prices are for 1 V, beyond the 0.8 V of the energy table's last operating point")));
  EXPECT_THAT(notes_of("npu-raiderchip-asic", {"clock=700 MHz", "energy.operating_point.voltage=0.7 V"}),
              IsEmpty());
}

TEST(DescriptionNotes, NameUnconfirmedTimingsAndMemoriesOfOtherPrices) {
  EXPECT_THAT(notes_of("npu-raiderchip-asic", {"memory.part=lpddr5x-8533"}),
              Contains("the timings of LPDDR5X-8533 are unconfirmed"));
  EXPECT_THAT(
      notes_of("npu-raiderchip-asic",
               {"memory.part=ddr5-4800", "memory.capacity=16 GiB", "memory.refresh=ab"}),
      Contains(AllOf(HasSubstr("a bit read from DRAM is billed at 6 pJ"), HasSubstr("DDR5-4800 needs"))));
}

TEST(DescriptionNotes, NameTwoTemperatures) {
  EXPECT_THAT(notes_of("npu-raiderchip-asic", {"memory.temperature=90 C"}),
              Contains(HasSubstr(
                  "memory.temperature is 90 C and sets the refresh; energy.operating_point.temperature is "
                  "not given (60 C, as the prices)")));
  EXPECT_THAT(
      notes_of("npu-raiderchip-asic", {"memory.temperature=90 C", "energy.operating_point.temperature=90 C"}),
      IsEmpty());
}

}  // namespace
}  // namespace edgenpu
