// edgenpu compare as a user meets it.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <unistd.h>

#include "command_line.h"

namespace edgenpu::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One run for all: it simulates an 8B model on four platforms.
const Output& default_table() {
  static const Output output = edgenpu("compare --json -");
  return output;
}

TEST(CompareCommand, NamesTheImpossibleAndTheImplausiblySlowFiguresOfThePublishedTable) {
  const Output& out = default_table();
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  // 32.8 and 55.6 tokens/s against a roof of 21.55; 4.2 and 5.7 at 26 % of peak, below half of 59 %.
  EXPECT_THAT(out.text, HasSubstr("1.52 times beyond what the memory's peak bandwidth allows (21.55)"));
  EXPECT_THAT(out.text, HasSubstr("2.58 times beyond what the memory's peak bandwidth allows (21.55)"));
  EXPECT_THAT(out.text,
              HasSubstr("26 % of peak bandwidth, 0.44 of the median 59 % of published measurements"));
  EXPECT_THAT(out.text,
              HasSubstr("26 % of peak bandwidth, 0.45 of the median 59 % of published measurements"));
  for (const char* key : {"\"rows\"", "\"platform\"", "\"power_scope\": \"soc+dram\"", "\"at_tdp\"",
                          "\"roofline\"", "\"published\"", "\"verdict\"", "\"kind\": \"impossible\"",
                          "\"kind\": \"implausibly_slow\"", "\"npu_to_gpu\"", "\"failed_checks\": []"})
    EXPECT_THAT(out.text, HasSubstr(key));
}

TEST(CompareCommand, ShowsAnyHardwareBesideEachOther) {
  const Output out = edgenpu(
      "compare --hardware hw_configs/cpu/cpu-rk3588.yaml --hardware hw_configs/gpu/gpu-orin-nano.yaml "
      "--model "
      "smollm2-135m "
      "--context 64 --normalise bandwidth");
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("cpu-rk3588"));
  EXPECT_THAT(out.text, HasSubstr("gpu-orin-nano"));
  EXPECT_THAT(out.text, HasSubstr("tokens/s per GB/s"));
  EXPECT_THAT(out.text, Not(HasSubstr("verdict")));
}

TEST(CompareCommand, KeepsARowThatDoesNotFitAndSaysWhy) {
  const Output out = edgenpu(
      "compare --hardware hw_configs/gpu/gpu-orin-nano.yaml --hardware hw_configs/cpu/cpu-rk3588.yaml "
      "--model "
      "llama-3.1-8b "
      "--quant Q8_0 --context 64");
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("infeasible"));
  EXPECT_THAT(out.text, HasSubstr("does not fit the memory"));
}

TEST(CompareCommand, IsIndependentOfTheNumberOfJobs) {
  const std::string base =
      "compare --hardware hw_configs/cpu/cpu-rk3588.yaml --hardware hw_configs/gpu/gpu-orin-nano.yaml "
      "--model "
      "smollm2-135m "
      "--context 64 --json - --jobs ";
  const Output one = edgenpu(base + "1"), two = edgenpu(base + "2");
  ASSERT_EQ(one.exit_code, 0) << one.errors;
  EXPECT_EQ(one.text, two.text);
}

TEST(CompareCommand, RefusesAnUnknownNormalisation) {
  const Output out = edgenpu("compare --normalise bandwith");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("allowed: none, bandwidth, power; did you mean 'bandwidth'?"));
}

TEST(CompareCommand, RefusesATableWithAnUnknownKey) {
  const Output out = edgenpu("compare --published tests/data/study/published-wrong.yaml");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("published-wrong.yaml:13:5: unknown key 'tokens_per_second'"));
  EXPECT_THAT(out.errors, HasSubstr("did you mean 'tokens_per_s'?"));
  EXPECT_THAT(out.errors, HasSubstr("published-wrong.yaml:9:1: unknown key 'contxt'"));
}

TEST(RunCommand, TakesACpuAndAGpu) {
  for (const char* hardware : {"cpu-rk3588", "gpu-orin-nano"}) {
    const Output out =
        edgenpu(std::string("run --hardware ") + hardware + " --model smollm2-135m --context 64 --json -");
    EXPECT_EQ(out.exit_code, 0) << out.errors;
    EXPECT_THAT(out.text, HasSubstr("\"core_cycles\""));
  }
}

TEST(RunCommand, SuggestsTheKindOfDevice) {
  const Output out =
      edgenpu("run --hardware hw_configs/cpu/cpu-rk3588.yaml --set kind=gpuu --model smollm2-135m");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors,
              HasSubstr("found kind 'gpuu'; allowed: npu, cpu, gpu, accelerator; did you mean 'gpu'?"));
}

// A folder with a published table of one row.
class Published : public ::testing::Test {
 protected:
  Published() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Published() override { std::filesystem::remove_all(folder_); }
  std::string table(const std::string& hardware, double rate, const std::string& model = "smollm2-135m",
                    const std::string& quant = "Q4_K_M") const {
    const std::string source = EDGENPU_SOURCE_DIR, path = folder_ / "published.yaml";
    std::ofstream(path) << "kind: published\nname: t\nsource: x\nmodel: " << model << "\nquant: " << quant
                        << "\ncontext: 48\nbandwidth_shares: " << source
                        << "/hw_configs/published/bandwidth-shares.yaml\nrows:\n"
                        << "  - {platform: a platform with a rather long name, hardware: " << hardware
                        << ", tokens_per_s: " << rate << ", source: x}\n";
    return path;
  }
  static double number(const std::string& text, const std::string& key) {
    const std::size_t at = text.find("\"" + key + "\": ");
    return at == std::string::npos ? 0 : std::stod(text.substr(at + key.size() + 4));
  }
  const std::string npu_ = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("edgenpu-published-" + std::to_string(::getpid()));
};

TEST_F(Published, ARateIsExplainedByTheStepThatHasIt) {
  const Output run =
      edgenpu("run --hardware " + npu_ + " --model smollm2-135m --quant Q8_0 --context 48 --json -");
  const double rate = number(run.text, "tokens_per_s");
  ASSERT_GT(rate, 100) << run.errors;
  const Output out =
      edgenpu("compare --explain-published --model smollm2-135m --published " + table(npu_, rate));
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, ::testing::ContainsRegex("smollm2-135m Q8_0, batch 1 +[0-9.]+ +[+-]0 %"))
      << "at the table's own context";
  EXPECT_THAT(out.text, Not(HasSubstr("F16"))) << "half the rate";
}

TEST_F(Published, ARateOfABatchIsExplainedByIt) {
  const Output run =
      edgenpu("run --hardware " + npu_ + " --model smollm2-135m --context 48 --batch 4 --json -");
  const Output out = edgenpu("compare --explain-published --model smollm2-135m --published " +
                             table(npu_, number(run.text, "tokens_per_s")));
  EXPECT_THAT(out.text, ::testing::ContainsRegex("smollm2-135m Q4_K_M, batch 4 +[0-9.]+ +[+-]0 %"));
}

// An error in a row once passed through the destructor of another type of the same name.
TEST_F(Published, AnExplanationOfHardwareThatIsNotThereIsRefusedByItsName) {
  for (const char* mode : {"compare --explain-published --published ", "compare --selection-map --published ",
                           "compare --published "}) {
    const Output out = edgenpu(mode + table("nosuch.yaml", 10) + " --model smollm2-135m");
    EXPECT_EQ(out.exit_code, 2) << mode;
    EXPECT_THAT(out.errors, HasSubstr("nosuch.yaml")) << mode;
  }
}

TEST_F(Published, AModelOrQuantisationThatIsNotThereIsRefusedWhereItStands) {
  for (const char* mode : {"compare --explain-published --published ", "compare --selection-map --published ",
                           "compare --published "}) {
    const Output model = edgenpu(mode + table(npu_, 10, "nosuchmodel") + " --model smollm2-135m");
    EXPECT_EQ(model.exit_code, 2) << mode;
    EXPECT_THAT(model.errors, HasSubstr("published.yaml:4:8: unknown model 'nosuchmodel'")) << mode;
    const Output quant = edgenpu(mode + table(npu_, 10, "smollm2-135m", "Q9") + " --model smollm2-135m");
    EXPECT_EQ(quant.exit_code, 2) << mode;
    EXPECT_THAT(quant.errors, HasSubstr("published.yaml:5:8: unknown quantisation 'Q9'")) << mode;
  }
}

TEST_F(Published, AnExplanationTakesHardwareAndQuantisationsFromItself) {
  for (const char* option : {"--quant Q8_0", "--hardware hw_configs/cpu/cpu-rk3588.yaml"}) {
    const Output out = edgenpu(std::string("compare --explain-published ") + option);
    EXPECT_EQ(out.exit_code, 2) << option;
    EXPECT_THAT(out.errors, HasSubstr("does not go with --explain-published")) << option;
  }
}

TEST_F(Published, ASelectionMapHasTheQuantisationAndContextOfTheTable) {
  const Output out = edgenpu("compare --selection-map --model smollm2-135m --published " + table(npu_, 10));
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("decode, Q4_K_M, 48 tokens cached"));
}

// Rows of "limit_ms,model,parameters,platform,...".
std::map<std::string, std::string> choices(const std::string& csv) {
  std::map<std::string, std::string> found;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells(1);
    for (const char c : line)
      if (c == ',')
        cells.emplace_back();
      else
        cells.back().push_back(c);
    if (cells.size() > 3) found[cells[0]] = cells[3];
  }
  return found;
}

TEST(CompareCommand, SelectsThePlatformWithTheLeastEdpWithinLatencyAndPower) {
  const std::string map =
      "compare --selection-map --model smollm2-135m --context 64 --hardware "
      "hw_configs/npu/npu-raiderchip-asic.yaml "
      "--hardware hw_configs/cpu/cpu-rk3588.yaml --csv - ";
  const Output all = edgenpu(map + "--power-limit 1000"), little = edgenpu(map + "--power-limit 0.01");
  ASSERT_EQ(all.exit_code, 0) << all.errors;
  auto chosen = choices(all.text);
  EXPECT_EQ(chosen.size(), 7u) << "a header and six limits";
  for (const char* limit : {"10", "25", "50", "100", "250", "1000"})
    EXPECT_EQ(chosen[limit], "npu-raiderchip-asic") << limit;
  auto none = choices(little.text);
  for (const char* limit : {"10", "1000"}) EXPECT_EQ(none[limit], "cloud") << limit;
  // 9.6 ms a token are too slow for no limit here, 55 for four of them.
  const Output slow = edgenpu(
      "compare --selection-map --model llama-3.2-1b --context 64 --hardware hw_configs/cpu/cpu-rk3588.yaml "
      "--power-limit 1000 --csv -");
  auto cpu = choices(slow.text);
  EXPECT_EQ(cpu["50"], "cloud");
  EXPECT_EQ(cpu["100"], "cpu-rk3588");
}

TEST(CompareCommand, DrawsTheSelectionMapAndTheSplit) {
  const std::string npu =
      " --model smollm2-135m --context 16 --hardware hw_configs/npu/npu-raiderchip-asic.yaml ";
  const Output map = edgenpu("compare --selection-map" + npu + "--svg -");
  EXPECT_EQ(map.exit_code, 0) << map.errors;
  EXPECT_THAT(map.text, HasSubstr("<svg xmlns="));
  EXPECT_THAT(map.text, HasSubstr(">npu-raiderchip-asic</text>"));
  const Output split = edgenpu("compare" + npu + "--split-svg -");
  EXPECT_EQ(split.exit_code, 0) << split.errors;
  EXPECT_THAT(split.text, HasSubstr("<svg xmlns="));
}

// The tool's data with a list of one platform: all of ours take half a minute.
class OneListed : public ::testing::Test {
 protected:
  OneListed() {
    namespace fs = std::filesystem;
    const fs::path source = EDGENPU_SOURCE_DIR;
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "hw_configs/published");
    fs::create_symlink(source / "models", folder_ / "models");
    for (const char* part : {"hw_configs", "hw_configs/published"})
      for (const auto& entry : fs::directory_iterator(source / part))
        if (const fs::path name = fs::path(part) / entry.path().filename();
            name != "hw_configs/published" && name != "hw_configs/published/platform-list.yaml")
          fs::create_symlink(entry.path(), folder_ / name);
    std::ofstream(folder_ / "hw_configs/published/platform-list.yaml")
        << "kind: platform_list\nsource: test\ncontext: 48\nmodels: [smollm2-135m, llama-2-7b]\n"
           "published: platform-table.yaml\nrows:\n"
           "  - {platform: Pi with 2 GB, hardware: cpu-raspberry-pi-5-2gb, quant: Q4_K_M}\n";
    ::setenv("EDGENPU_DATA", folder_.c_str(), 1);
  }
  ~OneListed() override {
    ::unsetenv("EDGENPU_DATA");
    std::filesystem::remove_all(folder_);
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("edgenpu-listed-" + std::to_string(::getpid()));
};

TEST_F(OneListed, ThePlatformTableHasARowAModelAndTheReasonOfAnEmptyOne) {
  const Output out = edgenpu("compare --platform-table");
  ASSERT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("decode, 48 tokens cached"));
  EXPECT_THAT(out.text, ::testing::ContainsRegex("Pi with 2 GB +smollm2-135m +Q4_K_M +[0-9]"));
  EXPECT_THAT(out.text,
              ::testing::ContainsRegex("Pi with 2 GB +llama-2-7b +Q4_K_M +- .*does not fit the memory"));
  const Output csv = edgenpu("compare --platform-table --csv -");
  EXPECT_THAT(csv.text, HasSubstr("platform,model,quant,runtime,tokens_per_s,"));
  EXPECT_THAT(csv.text, Not(HasSubstr("'-"))) << "nothing is an empty field";
}

TEST(CompareCommand, ShowsRatesAWattIfAsked) {
  const std::string npu =
      "compare --model smollm2-135m --context 16 --hardware hw_configs/npu/npu-raiderchip-asic.yaml ";
  EXPECT_THAT(edgenpu(npu + "--normalise power").text, HasSubstr("tokens/s per W"));
  EXPECT_THAT(edgenpu(npu).text, Not(HasSubstr("tokens/s per W")));
}

}  // namespace
TEST(CompareCommand, GivesRangesAndTheOddsOfTheSmallerEdpIfAsked) {
  const std::string two =
      "compare --hardware hw_configs/npu/npu-raiderchip-asic.yaml --hardware "
      "hw_configs/npu/npu-raiderchip-fpga.yaml "
      "--model smollm2-135m --context 16 ";
  const Output plain = edgenpu(two);
  EXPECT_THAT(plain.text, HasSubstr("Energy by use"));
  EXPECT_EQ(plain.text.find("Probability of the smaller EDP"), std::string::npos);
  const Output out = edgenpu(two + "--uncertainty 2");
  EXPECT_EQ(out.exit_code, 0) << out.errors;
  EXPECT_THAT(out.text, HasSubstr("Ranges, 5 to 95 %"));
  EXPECT_THAT(out.text, HasSubstr("npu-raiderchip-asic             against npu-raiderchip-fpga"));
  const Output json = edgenpu(two + "--uncertainty 2 --json -");
  EXPECT_THAT(json.text, HasSubstr("\"probability_of_smaller_edp\": "));
  EXPECT_THAT(json.text, HasSubstr("\"energy_split\": {"));
}

}  // namespace edgenpu::test
