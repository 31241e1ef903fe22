// edgenpu power as a user meets it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

#include "cli/command_line.h"

namespace {

namespace fs = std::filesystem;
using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;

const std::string kNpu =
    "power --hardware hw_configs/npu/npu-raiderchip-asic.yaml --model smollm2-135m --context 64 ";

// A folder of its own for each test.
fs::path folder() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const fs::path path = fs::temp_directory_path() / (std::string("edgenpu_power_") + test->name());
  fs::remove_all(path);
  return path;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::set<std::string> names_in(const fs::path& path) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) names.insert(entry.path().filename().string());
  return names;
}

TEST(PowerCommand, WritesItsFilesAndNothingElse) {
  const fs::path out = folder();
  const Output o = edgenpu(kNpu + "--out " + out.string());
  EXPECT_EQ(o.exit_code, 0) << o.errors;
  EXPECT_THAT(names_in(out), ::testing::UnorderedElementsAre("power.csv", "power.flp", "power.ptrace",
                                                             "hotspot.config", "power.3dice.flp", "power.stk",
                                                             "power.vcd", "action_counts.yaml", "ERT.yaml",
                                                             "power.upf", "power.svg", "summary.md"));
}

TEST(PowerCommand, WritesAWaveformThatGtkwaveReads) {
  const fs::path out = folder();
  ASSERT_EQ(edgenpu(kNpu + "--out " + out.string()).exit_code, 0);
  const std::string fst = (out / "power.fst").string();
  ASSERT_EQ(std::system("command -v vcd2fst >/dev/null"), 0) << "scripts/setup installs gtkwave";
  EXPECT_EQ(std::system(("vcd2fst " + (out / "power.vcd").string() + " " + fst + " >/dev/null").c_str()), 0);
  EXPECT_GT(fs::file_size(fst), 100u);
}

TEST(PowerCommand, PutsStepsEndToEndInWindowsOfChoice) {
  const fs::path out = folder();
  ASSERT_EQ(edgenpu(kNpu + "--runs 3 --window \"1 ms\" --out " + out.string()).exit_code, 0);
  const std::string csv = text_of(out / "power.csv");
  EXPECT_THAT(csv, HasSubstr("\n0.001,0.001,"));
  EXPECT_THAT(text_of(out / "hotspot.config"), HasSubstr("-sampling_intvl\t0.001\n"));
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("3 steps end to end"));
}

TEST(PowerCommand, RunsAtAnOperatingPointOfTheTable) {
  const fs::path out = folder();
  ASSERT_EQ(edgenpu(kNpu + "--operating-point low --out " + out.string()).exit_code, 0);
  // The table is relative to where the step ran.
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("| low | 400 MHz | 0.650 V | x 1.000 | x 1.000 |"));
}

TEST(PowerCommand, WritesDramCommandsThatDrampowerReads) {
  const fs::path out = folder();
  ASSERT_EQ(edgenpu(kNpu + "--dram-commands 200 --out " + out.string()).exit_code, 0);
  // timestamp, command, rank, bank group, bank, row, column[, data]: github.com/tukl-msd/DRAMPower,
  // src/cli/lib/DRAMPower/cli/run.cpp.
  const std::regex line(
      "([0-9]+),(ACT|PRE|PREA|REFA|REFB|END|RD|WR),[01],[0-3],([0-9]|1[0-5]),[0-9]+,[0-9]+(,0{64})?");
  for (int c = 0; c < 8; ++c) {
    std::istringstream in(text_of(out / ("dram_commands.ch" + std::to_string(c) + ".csv")));
    std::int64_t lines = 0, last = 0;
    for (std::string text; std::getline(in, text); ++lines) {
      std::smatch m;
      ASSERT_TRUE(std::regex_match(text, m, line)) << text;
      EXPECT_EQ(m[4].matched, m[2] == "RD" || m[2] == "WR") << text;
      EXPECT_GE(std::stoll(m[1]), last) << text;
      last = std::stoll(m[1]);
    }
    EXPECT_EQ(lines, 201) << "200 commands and END";
  }
}

TEST(PowerCommand, TakesAFloorplan) {
  const fs::path out = folder();
  fs::create_directories(out);
  std::ofstream(out / "plan.yaml") << R"(blocks:
  matrix: {x: 0 mm, y: 0 mm, width: 2 mm, height: 1 mm}
  dequantisation: {x: 2 mm, y: 0 mm, width: 1 mm, height: 1 mm}
  vector: {x: 3 mm, y: 0 mm, width: 1 mm, height: 1 mm}
  scratchpad: {x: 4 mm, y: 0 mm, width: 1 mm, height: 1 mm}
  interconnect: {x: 5 mm, y: 0 mm, width: 1 mm, height: 1 mm}
  control: {x: 6 mm, y: 0 mm, width: 1 mm, height: 1 mm}
  dram_interface: {x: 7 mm, y: 0 mm, width: 1 mm, height: 1 mm}
  uncore: {x: 8 mm, y: 0 mm, width: 1 mm, height: 1 mm}
)";
  const Output o =
      edgenpu(kNpu + "--scope die --floorplan " + (out / "plan.yaml").string() + " --out " + out.string());
  EXPECT_EQ(o.exit_code, 0) << o.errors;
  EXPECT_THAT(text_of(out / "power.flp"),
              HasSubstr("matrix\t0.002000000\t0.001000000\t0.000000000\t0.000000000\n"));
}

void expect_refused(const std::string& arguments, const std::string& message) {
  const Output o = edgenpu(arguments);
  EXPECT_EQ(o.exit_code, 2) << arguments;
  EXPECT_THAT(o.errors, HasSubstr(message)) << arguments;
}

TEST(PowerCommand, SaysWhatIsWrongWithItsOptions) {
  const std::string out = "--out " + folder().string() + " ";
  expect_refused(kNpu, "--out");
  expect_refused(kNpu + out + "--window 5", "a time from 1 us to 1 s is needed");
  expect_refused(kNpu + out + "--window \"2 s\"", "a time from 1 us to 1 s is needed");
  expect_refused(kNpu + out + "--operating-point lo", "nominal");
  expect_refused(kNpu + out + "--scope wall", "covers soc+dram");
  expect_refused(kNpu + "--out /dev/null/x", "/dev/null/x");
}

TEST(PowerCommand, RefusesMoreWindowsThanMemoryHolds) {
  const Output out = edgenpu(kNpu + "--runs 20000 --window '1 us' --out " + folder().string());
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("--window: "));
  EXPECT_THAT(out.errors, HasSubstr("at most 1000000 windows and 9000 s are allowed"));
}

}  // namespace
