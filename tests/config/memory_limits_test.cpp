// What a memory must have, and what it may not be: refused where it is written, with the arithmetic.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/memory.h"
#include "config/value.h"
#include "hardware/memory/memory_fixture.h"

namespace edgenpu::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kParts[] = {"lpddr4x-4266", "lpddr5-6400", "lpddr5x-8533", "ddr4-3200", "ddr5-4800"};

std::string error_of(const std::string& part, const std::vector<std::string>& set,
                     const std::vector<std::string>& without = {}) {
  Value tree = parse_file(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/memory/" + part + ".yaml");
  for (const std::string& o : set) apply_override(tree, o);
  Value timing = Value::empty_map(tree.find("timing")->position());
  for (const Value::Entry& e : tree.find("timing")->entries())
    if (std::find(without.begin(), without.end(), e.key) == without.end()) timing.set(e.key, e.value);
  tree.set("timing", timing);
  Diagnostics out;
  read_memory(tree, out);
  try {
    out.throw_if_any();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RefreshInterval, ThatLeavesNoTimeForDataIsRefusedWithItsParts) {
  EXPECT_THAT(error_of("lpddr5-6400", {"refresh=ab", "timing.tREFI=300 ns"}),
              AllOf(HasSubstr("--set timing.tREFI=300 ns"),
                    HasSubstr("an interval of 240 CK leaves no time for data"),
                    HasSubstr("allowed: more than 308 CK"), HasSubstr("224 tRFCab"), HasSubstr("17 tRPab")));
  EXPECT_THAT(error_of("lpddr5-6400", {"refresh=ab", "timing.tREFI=400 ns"}), IsEmpty());
}

TEST(RefreshInterval, OfEveryStandardIsRefusedWhereItIsTooShortAndNotWhereItIsLong) {
  for (const char* part : kParts)
    for (const char* mode : {"ab", "pb"}) {
      const std::string refresh = std::string("refresh=") + mode;
      if (!error_of(part, {refresh}).empty()) continue;  // DDR has no per-bank refresh
      const std::string key = std::string("timing.") + (mode[0] == 'a' ? "tREFI" : "tREFIpb");
      EXPECT_THAT(error_of(part, {refresh, key + "=30 CK"}), HasSubstr("leaves no time for data"))
          << part << mode;
      EXPECT_THAT(error_of(part, {refresh, key + "=2000 CK"}), IsEmpty()) << part << mode;
    }
}

TEST(RefreshInterval, OfAHotMemoryIsJudgedAfterItsDivision) {
  EXPECT_THAT(error_of("lpddr5-6400", {"timing.tREFI=500 ns", "temperature=90 C"}),
              HasSubstr("an interval of 200 CK"));
}

TEST(MemoryTimings, ThatNeverPassBetweenTwoRefreshesAreRefused) {
  for (const char* key : {"RL", "tCCD_L", "tWTR_L", "tRTW", "tFAW", "tXP", "tXSR", "tRANK"})
    EXPECT_THAT(error_of("lpddr5-6400", {fmt::format("timing.{}=1000000 CK", key)}),
                HasSubstr(fmt::format(
                    "'{}': 1000000 CK is not shorter than the 3125 CK between two refreshes", key)));
}

TEST(MemoryTimings, ThatAStandardHasOfItsOwnAreRequired) {
  for (const char* part : {"lpddr5-6400", "lpddr5x-8533", "ddr4-3200", "ddr5-4800"})
    for (const char* key : {"tCCD_L", "tRRD_L", "tWTR_L"})
      EXPECT_THAT(error_of(part, {}, {key}), HasSubstr(key)) << part;
  for (const char* part : {"lpddr4x-4266", "lpddr5-6400"})
    EXPECT_THAT(error_of(part, {}, {"tRPab"}), HasSubstr("tRPab")) << part;
  for (const char* part : {"lpddr4x-4266", "lpddr5-6400", "ddr5-4800"})
    EXPECT_THAT(error_of(part, {}, {"tPPD"}), HasSubstr("tPPD")) << part;
  for (const char* key : {"BL_max", "tWCKPST"})
    EXPECT_THAT(error_of("lpddr5-6400", {}, {key}), HasSubstr(key));
}

TEST(MemoryTimings, OfAnotherStandardAreRefused) {
  for (const char* part : {"lpddr4x-4266", "ddr4-3200", "ddr5-4800"})
    EXPECT_THAT(error_of(part, {"timing.tWCKPST=1 CK"}), HasSubstr("LPDDR5")) << part;
}

TEST(Standard, ThatIsNotTheOneOfBurstsClockAndCommandsIsRefused) {
  EXPECT_THAT(error_of("lpddr4x-4266", {"standard=DDR4"}),
              AllOf(HasSubstr("lpddr4x-4266.yaml:12:15"),
                    HasSubstr("'burst_length': 16 is not of DDR4 ('standard'); allowed: 8"),
                    HasSubstr("'command_slots.act2': 2 is not of DDR4 ('standard'), which opens a row by one "
                              "command; allowed: 0")));
  EXPECT_THAT(error_of("ddr5-4800", {"beats_per_clock=4"}),
              AllOf(HasSubstr("--set beats_per_clock=4"), HasSubstr("not of DDR5"), HasSubstr("allowed: 2")));
  EXPECT_THAT(error_of("lpddr5-6400", {"burst_length=32", "timing.BL=4 CK", "timing.tCCD_S=4 CK"}),
              IsEmpty());
}

TEST(Standard, OfAPartIsTheOnlyOneThatFits) {
  for (const char* part : kParts)
    for (const char* standard : {"LPDDR4", "LPDDR5", "DDR4", "DDR5"}) {
      const std::string own = std::string(part).substr(0, std::string(part).find_first_of("x-"));
      std::string lower(standard);
      for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      EXPECT_EQ(error_of(part, {std::string("standard=") + standard}).empty(), own == lower)
          << part << standard;
    }
}

TEST(Controller, HasATimeOutOfRowsOnlyWhereItsPolicyHas) {
  EXPECT_THAT(
      error_of("lpddr5-6400", {"controller.page_timeout=100 CK"}),
      AllOf(HasSubstr("--set controller.page_timeout=100 CK"), HasSubstr("'page_policy: timeout' only")));
  EXPECT_THAT(error_of("lpddr5-6400", {"controller.page_timeout=0 CK"}), IsEmpty());
  EXPECT_THAT(error_of("lpddr5-6400", {"controller.page_timeout=100 CK", "controller.page_policy=timeout"}),
              IsEmpty());
}

TEST(MemoryTimings, BetweenTwoActivateCommandsNeedTwo) {
  for (const char* part : {"ddr4-3200", "ddr5-4800"})
    EXPECT_THAT(error_of(part, {"timing.tAAD=8 CK"}),
                AllOf(HasSubstr("--set timing.tAAD=8 CK"), HasSubstr("between two activate commands")))
        << part;
}

TEST(Mapping, OfMoreFieldsThanAnAddressIsPutTogetherFromIsRefused) {
  std::string mapping = "bank2,bg2,col6";
  for (int i = 0; i < 13; ++i) mapping = (i < 3 ? "row2," : "row1,") + mapping;
  EXPECT_THAT(error_of("lpddr5-6400", {"mapping=" + mapping}), HasSubstr("13 fields of row"));
}

TEST(Banks, OfAChannelAreAtMostSixtyFourWhateverMakesThem) {
  const std::vector<std::vector<std::string>> too_many = {{"bank_groups=16", "banks_per_group=8"},
                                                          {"banks_per_group=32"},
                                                          {"ranks=8", "mapping=rank,row,bank,bg,col"}};
  for (const auto& set : too_many)
    EXPECT_THAT(error_of("lpddr5-6400", set),
                AllOf(HasSubstr("128 banks a channel"), HasSubstr("at most 64")));
  EXPECT_THAT(error_of("lpddr5-6400", {"bank_groups=16", "banks_per_group=8"}),
              HasSubstr("--set banks_per_group=8"));
  EXPECT_THAT(error_of("lpddr5-6400", {"bank_groups=16"}), IsEmpty());
}

}  // namespace
}  // namespace edgenpu::config
