// What the table's reader accepts, and the message for each thing that it does not.
#include "energy/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "energy/tiny.h"

namespace edgenpu::energy {
namespace {

using ::testing::HasSubstr;

// The message of reading `text`, or "accepted".
std::string message(const std::string& text) {
  try {
    read_table(config::parse_text(text, "t.yaml"));
    return "accepted";
  } catch (const InputError& e) {
    return e.what();
  }
}

const std::string kHead = "technology: x\ncovers: soc+dram\ncomponents:\n";

TEST(EnergyTable, KeepsTheRangeSourceAndConfidenceOfAPrice) {
  const Table table = test::tiny_table();
  const Charge& charge = table.components[4].charges[0];
  EXPECT_STREQ(charge.action->name, "dram_read_bits");
  EXPECT_DOUBLE_EQ(charge.price.low, 4e-12 * 8);
  EXPECT_DOUBLE_EQ(charge.price.high, 8e-12 * 8);
  EXPECT_EQ(charge.price.source, "assumed: test");
  EXPECT_EQ(charge.price.confidence, "low");
}

TEST(EnergyTable, TakesAnOverrideFromTheCommandLine) {
  const Table table = test::tiny_table({"energy.inputs.wire_length=7 mm"});
  EXPECT_DOUBLE_EQ(table.wire_length->value, 7e-3);
}

TEST(EnergyTable, NeedsAnInputOnlyIfAPriceUsesIt) {
  EXPECT_EQ(message(kHead + "  vector: {scope: die, actions: {vector_fma: 1 pJ, source: a paper}}\n"),
            "accepted");
  EXPECT_EQ(message(kHead + "  matrix: {scope: die, actions: {mac_int8: 1 pJ, source: a paper}}\n"),
            "t.yaml:1:1: the energy table lacks the key 'inputs': a section is needed");
  EXPECT_EQ(
      message(kHead + "  matrix: {scope: die, actions: {mac_int8: 1 pJ, source: a paper}}\ninputs: {}\n"),
      "t.yaml:5:9: the section 'inputs' lacks the key 'pe_overhead': a number is needed");
}

TEST(EnergyTable, RefusesAPriceInTheWrongUnit) {
  EXPECT_EQ(message(kHead + "  vector: {scope: die, actions: {vector_fma: 1 pJ/bit, source: a paper}}\n"),
            "t.yaml:4:46: 'vector_fma': '1 pJ/bit' has the wrong unit; an energy is needed, for example "
            "\"0.15 pJ\"");
  EXPECT_EQ(
      message(kHead + "  dram: {scope: die, actions: {dram_read_bits: 6, source: a paper}}\n"),
      "t.yaml:4:48: 'dram_read_bits': '6' has no unit; an energy per bit or byte is needed, for example "
      "\"6 pJ/bit\"");
  EXPECT_THAT(message(kHead + "  idle: {scope: die, static: {per_memory: 3 W, source: a paper}}\n"),
              HasSubstr("'per_memory': '3 W' has the wrong unit; a power per size is needed"));
}

TEST(EnergyTable, RefusesAPriceWithoutASource) {
  EXPECT_EQ(
      message(kHead + "  vector: {scope: die, actions: {vector_fma: 1 pJ}}\n"),
      "t.yaml:4:46: 'vector_fma' has no source: name one in 'source' beside it, or write 'assumed: why' or "
      "'calibrated: how'");
}

TEST(EnergyTable, RefusesAnUnknownCounterAndNamesTheNearest) {
  const std::string m =
      message(kHead + "  vector: {scope: die, actions: {vector_fmma: 1 pJ, source: a paper}}\n");
  EXPECT_THAT(m, HasSubstr("t.yaml:4:34: 'vector_fmma' is not a billable counter; there are: mac_int4_int8"));
  EXPECT_THAT(m, HasSubstr("did you mean 'vector_fma'?"));
}

TEST(EnergyTable, RefusesAnUnknownScope) {
  EXPECT_THAT(message(kHead + "  vector: {scope: socdram, actions: {vector_fma: 1 pJ, source: a paper}}\n"),
              HasSubstr("found 'socdram'; allowed: die, soc+dram, module, wall; did you mean 'soc+dram'?"));
}

TEST(EnergyTable, RefusesAComponentBeyondWhatItCovers) {
  EXPECT_EQ(message(kHead + "  disk: {scope: module, static: {constant: 1 W, source: a paper}}\n"),
            "t.yaml:4:3: component 'disk' lies in scope module, beyond what the table covers (soc+dram)");
}

TEST(EnergyTable, RefusesAComponentWithoutAnythingAndAScopeWithoutAComponent) {
  EXPECT_THAT(message(kHead + "  disk: {scope: die}\n"),
              HasSubstr("t.yaml:4:3: component 'disk' has neither actions nor static power nor an area"));
  EXPECT_THAT(message("technology: x\ncovers: wall\ncomponents:\n  a: {scope: die, static: {constant: 1 W, "
                      "source: b}}\n"),
              HasSubstr("t.yaml:2:9: 'covers': nothing of the table lies in the scope 'wall'"));
}

TEST(EnergyTable, TakesBlocksAndTheirOldSpellingButNotBoth) {
  const std::string area = kHead + "  a: {scope: die, area: {constant: 1 mm2, source: b}}\n";
  const std::string leak = "  c: {scope: die, static: {constant: 1 W, source: b}, ";
  EXPECT_EQ(message(area + leak + "blocks: [a]}\n"), "accepted");
  EXPECT_EQ(message(area + leak + "on: [a]}\n"), "accepted");
  EXPECT_THAT(message(area + leak + "blocks: [a], on: [a]}\n"),
              HasSubstr("'on': is the old spelling of 'blocks'"));
  EXPECT_THAT(message(area + leak + "blocks: [b]}\n"), HasSubstr("'b' is not a component with an area"));
}

TEST(EnergyTable, RefusesARangeThatDoesNotHoldTheValue) {
  EXPECT_THAT(
      message(kHead + "  vector: {scope: die, actions: {vector_fma: {value: 1 pJ, low: 2 pJ, high: 3 pJ, "
                      "source: a paper}}}\n"),
      HasSubstr("the value '1 pJ' must lie between low ('2 pJ') and high ('3 pJ')"));
}

TEST(EnergyTable, RefusesBankSizesThatAreNone) {
  const std::string open = kHead + "  sram: {scope: die, actions: {scratchpad_read_B: {";
  EXPECT_THAT(message(open + "64: 1 pJ/B, source: a paper}}}\n"), HasSubstr("'64' is not a bank size"));
  EXPECT_THAT(message(open + "1 MiB: 1 pJ/B, 1024 KiB: 2 pJ/B, source: a paper}}}\n"),
              HasSubstr("'scratchpad_read_B' has two prices for one bank size"));
  EXPECT_THAT(message(open + "source: a paper}}}\n"), HasSubstr("'scratchpad_read_B' has no price"));
  EXPECT_THAT(message(open + "1 MiB: 0 pJ/B, source: a paper}}}\n"), HasSubstr("out of range"));
}

TEST(EnergyTable, RefusesAClockTreeOfStrangers) {
  const std::string part =
      kHead +
      "  vector: {scope: die, actions: {vector_fma: 1 pJ, source: a paper}}\n"
      "  dram: {scope: soc+dram, actions: {dram_read_bits: 6 pJ/bit, source: a paper}}\n";
  EXPECT_THAT(message(part + "clock_tree: {share: 0.1, of: [vektor], source: a paper}\n"),
              HasSubstr("there is no component 'vektor'; there are: vector, dram; did you mean 'vector'?"));
  EXPECT_THAT(message(part + "clock_tree: {share: 0.1, of: [dram], source: a paper}\n"),
              HasSubstr("'dram' is not on the die"));
  EXPECT_THAT(message(part + "clock_tree: {share: 0.1, of: [vector, vector], source: a paper}\n"),
              HasSubstr("'vector' is listed twice"));
}

TEST(EnergyTable, RefusesTheNamesOfDerivedComponents) {
  EXPECT_THAT(message(kHead + "  clock_tree: {scope: die, static: {constant: 1 W, source: a paper}}\n"),
              HasSubstr("'clock_tree' is the name of a derived component"));
}

TEST(EnergyTable, RefusesUnknownKeysAndUnknownExclusions) {
  EXPECT_THAT(message(kHead + "  vector: {scope: die, action: {}}\n"), HasSubstr("did you mean 'actions'?"));
  EXPECT_THAT(message(kHead + "  vector: {scope: die}\nnot_applicable: [mac_in8]\n"),
              HasSubstr("'mac_in8' is not a billable counter"));
}

TEST(EnergyTable, ReportsAllErrorsAtOnce) {
  try {
    read_table(config::parse_text(kHead + "  vector: {scope: die, actions: {vector_fma: 1}}\nregulator: "
                                          "{efficiency: 1.5, source: a paper}\n",
                                  "t"));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().size(), 3u) << e.what();  // no source, no unit, out of range
  }
}

}  // namespace
}  // namespace edgenpu::energy
