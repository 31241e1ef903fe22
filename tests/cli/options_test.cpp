// Options that would change nothing are refused, and so are outputs that cannot be written, before anything
// is simulated and with nothing left behind.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command_line.h"

namespace {

namespace fs = std::filesystem;
using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;

const std::string kNpu = "--hardware hw_configs/npu/npu-raiderchip-asic.yaml ";
const std::string kStep = kNpu + "--model llama-3.2-1b ";
const std::string kTopology = "traces/scalesim/alexnet-conv.csv ";
const std::string kGguf = "--gguf tests/data/tiny_models/tiny_llama.Q4_K_M.gguf ";

void expect_refused(const std::string& arguments, const std::string& message) {
  SCOPED_TRACE(arguments);
  const Output out = edgenpu(arguments);
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_EQ(out.text, "");
  EXPECT_THAT(out.errors, HasSubstr(message));
}

class Folder : public ::testing::Test {
 protected:
  Folder() { fs::create_directories(path_); }
  ~Folder() override { fs::remove_all(path_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  bool empty() const { return fs::is_empty(path_); }
  fs::path path_ =
      fs::temp_directory_path() /
      (std::string("edgenpu_options_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
       std::to_string(::getpid()));
};

TEST(Options, OfAModelDoNotGoWithATrace) {
  const std::string why = ": a trace (--trace) is one step of one model already; leave it out";
  expect_refused("run " + kStep + "--trace traces/tiny.yaml", "--model" + why);
  for (const char* option : {"--context 5", "--kv q8_0", "--quant Q8_0", "--phase prefill", "--batch 2"}) {
    const std::string text = option;
    expect_refused("run " + kNpu + "--trace traces/tiny.yaml " + text, text.substr(0, text.find(' ')) + why);
  }
}

TEST(Options, OfASimulationAreNotThoseOfAPlan) {
  expect_refused("plan " + kStep + "--repeat full", "--repeat: unknown option");
  expect_refused("plan " + kStep + "--detail burst", "--detail: unknown option");
}

TEST(Options, OfOneTableOfCompareDoNotGoWithAnother) {
  expect_refused("compare --platform-table --selection-map",
                 "--selection-map: does not go with --platform-table");
  expect_refused("compare --platform-table --json x.json", "--json: does not go with --platform-table");
  expect_refused("compare --platform-table " + kNpu, "--hardware: does not go with --platform-table");
  expect_refused("compare --selection-map --set memory.channels=4",
                 "--set: does not go with --selection-map");
  expect_refused("compare --selection-map --power-limit=-5", "--power-limit: a number of watts above 0");
  expect_refused("compare --explain-published --csv x.csv", "--csv: goes with --selection-map or");
  expect_refused("compare " + kStep + "--power-limit 5", "--power-limit: goes with --selection-map");
  expect_refused("compare " + kStep + "--cache x.tsv", "--cache: goes with --selection-map");
  expect_refused("compare " + kStep + "--seed 5", "--seed: goes with --uncertainty");
}

TEST(Options, OfOneActionOfTraceDoNotGoWithAnother) {
  expect_refused("trace show traces/tiny.yaml --out x", "--out: goes with 'trace generate'");
  expect_refused("trace show traces/tiny.yaml --model foo", "--model: goes with 'trace generate'");
  expect_refused("trace show traces/tiny.yaml --format Q8_0", "--format: goes with 'trace import'");
  expect_refused("trace import " + kTopology + "--context 5", "--context: goes with 'trace generate'");
  expect_refused("trace generate --model llama-3.2-1b more", "--file: goes with 'trace show'");
}

TEST(Options, OfOneActionOfResultsDoNotGoWithAnother) {
  expect_refused("results table x.sqlite --minimise power_W", "--minimise: goes with 'results pareto, best'");
  expect_refused("results pareto x.sqlite --limit 3", "--limit: goes with 'results table'");
  expect_refused("results effects x.sqlite --columns all",
                 "--columns: goes with 'results table, pareto, best'");
  expect_refused("results merge x.sqlite y.sqlite --where a", "--where: goes with 'results table,");
  expect_refused("results table x.sqlite --times", "--times: goes with --columns all");
}

TEST(Options, OfMemoryNumericsAndPowerThatChangeNothingAreRefused) {
  const std::string memory = "memory --memory lpddr5-6400 ";
  expect_refused(memory + "--pattern rand64 --replay x", "--pattern and --replay do not go together");
  expect_refused(memory + "--replay x --requests 5", "--requests: goes with --pattern");
  expect_refused(memory + "--pattern rand64 --refresh none --refresh-interval '5 us'",
                 "--refresh-interval: there is no refresh");
  expect_refused("numerics " + kGguf + "--quantisers token_embd.weight --tokens 1",
                 "--tokens: does not go with --quantisers");
  expect_refused("numerics " + kGguf + "--tokens 1 --set a=1", "--set: goes with --arithmetic npu");
  expect_refused("power " + kStep + "--out x --seed 5", "--seed: goes with --uncertainty");
  expect_refused("power --anchors hw_configs/published/energy-anchors.yaml --model foo",
                 "--model: is not for --anchors");
}

TEST(Options, OfSweepsAndValidationsThatChangeNothingAreRefused) {
  expect_refused("sweep hw_configs/studies/channels-refresh.yaml --dry-run --shard 1/2",
                 "--shard: does not go with --dry-run");
  expect_refused(
      "validate hw_configs/published/measurements.yaml --llama-bench x "
      "--hardware hw_configs/cpu/cpu-rk3588.yaml",
      "--measurements: does not go with --llama-bench");
  expect_refused("--version more", "'more' after --version");
}

TEST(Options, NameWhatThereIs) {
  expect_refused("memory --memory lpddr5-6401 --pattern rand64",
                 "'lpddr5-6401' is neither a file nor a part; there are: ddr4-3200, ddr5-4800, lpddr4x-4266, "
                 "lpddr5-6400, lpddr5x-8533; did you mean 'lpddr5-6400'?");
  expect_refused("calibrate --platform npu-nobody", "--platform: no measured class is for 'npu-nobody'");
  expect_refused(
      "numerics " + kGguf + "--tokens 1 --arithmetic npu --hardware hw_configs/gpu/gpu-orin-nano.yaml",
      "found kind 'gpu'; --arithmetic npu needs hardware of kind npu");
  expect_refused("explain " + kStep + "--jobs 0", "--jobs: '0' is not allowed");
}

TEST(Outputs, ThatCannotBeWrittenAreRefusedBeforeAnythingIsSimulated) {
  const std::string nowhere = "/nonexistent/x";
  for (const std::string& command :
       {"run " + kStep + "--json ", "explain " + kStep + "--json ", std::string("compare --split-svg "),
        std::string("compare --selection-map --svg "), std::string("compare --selection-map --cache "),
        std::string("validate --csv "), std::string("validate --cache "), std::string("calibrate --out ")})
    expect_refused(command + nowhere, nowhere + ": cannot write here: there is no folder /nonexistent");
  expect_refused("validate --json tests", "tests: cannot write here: it is a directory");
  expect_refused("run " + kStep + "--json ''", "--json: found an empty path");
}

TEST(Outputs, ShareStandardOutputWithNoOther) {
  expect_refused("plan " + kStep + "--json - --csv -",
                 "--csv: standard output (-) is taken by another option");
}

TEST_F(Folder, HoldsNoResultsOfAMergeThatFails) {
  expect_refused("results merge " + (path_ / "all.sqlite").string() + " README.md",
                 "README.md: this is not a results file");
  EXPECT_TRUE(empty());
}

TEST_F(Folder, HoldsNothingOfPowerWithABadFloorplan) {
  const std::string out = (path_ / "power").string();
  expect_refused("power " + kStep + "--floorplan README.md --out " + out, "README.md:4:1: not valid YAML");
  EXPECT_TRUE(empty());
}

TEST_F(Folder, KeepsAFileThatIsNoCache) {
  const std::string text = "notes of mine\nkept\n", path = file("notes.txt", text);
  expect_refused("validate --cache " + path, path + ":1:1: this is no file of finished steps");
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST_F(Folder, GivesFilesThatAreNone) {
  expect_refused("run --model llama-3.2-1b --hardware " + file("empty.yaml", ""),
                 "empty.yaml: this file is empty");
  expect_refused("run --model llama-3.2-1b --hardware " + file("two.yaml", "kind: npu\n---\nkind: cpu\n"),
                 "two.yaml:2:1: a second document starts here; a file holds one");
  expect_refused("trace import traces/scalesim", "traces/scalesim: cannot read this file: Is a directory");
}

}  // namespace
