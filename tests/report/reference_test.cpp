#include "report/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/value.h"

namespace edgenpu::report {
namespace {

using ::testing::HasSubstr;

std::string page(const std::string& part) {
  const std::string path = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/energy/" + part + ".yaml";
  return price_reference(energy::read_table(config::parse_file(path)));
}

TEST(Reference, ListsEveryCounter) {
  for (const std::string& name : energy::action_names())
    EXPECT_THAT(counter_reference(), HasSubstr("| " + name + " |"));
}

TEST(Reference, ShowsPricesInTheUnitsTheyAreWrittenIn) {
  const std::string text = page("npu-16nm");
  EXPECT_THAT(text, HasSubstr("| matrix | mac_int8 | 150 fJ | 45.0 fJ to 250 fJ | low | derived: "));
  EXPECT_THAT(
      text,
      HasSubstr("| dram_device | dram_read_bits | 6.00 pJ/bit | 4.50 pJ/bit to 8.00 pJ/bit | medium |"));
  EXPECT_THAT(text, HasSubstr("| dram_interface | dram_read_bits | 4.00 pJ/bit |"));
  EXPECT_THAT(text, HasSubstr("| interconnect | interconnect_B | 80.0 fJ/bit/mm |"));
  EXPECT_THAT(text, HasSubstr("| scratchpad | scratchpad_write_B, bank of 256 KiB | 900 fJ/B |"));
  EXPECT_THAT(text, HasSubstr("| dram_device | dram_refresh_ab | 23.4 nJ/GiB |"));
  EXPECT_THAT(text, HasSubstr("| dram_standby | static, x memory capacity | 37.0 mW/GiB |"));
  EXPECT_THAT(text, HasSubstr("| leakage_logic | static, x logic_area | 2.50 mW/mm2 |"));
  EXPECT_THAT(text, HasSubstr("| inputs | wire_length | 5.00 mm |"));
  EXPECT_THAT(text, HasSubstr("| inputs | logic_area | 40.0 mm2 |"));
  EXPECT_THAT(text, HasSubstr("| regulator_loss | efficiency | 0.850 |"));
}

}  // namespace
}  // namespace edgenpu::report
