// docs/worked_example.md, line by line: the tool gives the figures that the page derives, and the page states
// them.
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "simulate.h"

namespace edgenpu {
namespace {

using activity::Loss;

const result::StepResult& step() {
  static const result::StepResult r = [] {
    StepRequest request;
    request.data_dir = EDGENPU_SOURCE_DIR;
    request.hardware = request.data_dir + "/hw_configs/npu/npu-raiderchip-asic.yaml";
    request.overrides = {"memory.refresh=ab"};
    request.trace_file = request.data_dir + "/traces/worked-example.yaml";
    return simulate(request);
  }();
  return r;
}

const std::string& page() {
  static const std::string text = [] {
    std::ifstream file(EDGENPU_SOURCE_DIR "/docs/worked_example.md");
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }();
  return text;
}

// The table row that starts with `name` ends with `figure`.
void expect_row(const std::string& name, const std::string& figure) {
  const std::size_t at = page().find("| " + name + " |");
  ASSERT_NE(at, std::string::npos) << name;
  const std::string line = page().substr(at, page().find('\n', at) - at);
  EXPECT_THAT(line, ::testing::EndsWith("| " + figure + " |")) << name;
}

std::int64_t count(const std::string& name) {
  for (const result::NamedCount& c : step().counts)
    if (c.name == name) return c.value;
  ADD_FAILURE() << "no count " << name;
  return 0;
}

double nanoseconds(Loss loss) {
  return step().losses_s[static_cast<std::size_t>(loss)] * 1e9;
}

TEST(WorkedExample, CountsWhatIsMovedAndComputed) {
  EXPECT_EQ(count("dram_read_B"), 512 * 16 * 144);
  EXPECT_EQ(count("mac_int4_int8"), 512 * 4096);
  EXPECT_EQ(count("dequant_weights_int4"), 512 * 4096);
  EXPECT_EQ(count("dequant_scales"), 512 * 4096 / 32);
  EXPECT_EQ(count("dma_descriptors"), 16);
  EXPECT_EQ(count("control_instructions"), 32);
  EXPECT_EQ(count("scratchpad_read_B"), 1'179'648 + 16 * 4096);
  EXPECT_EQ(count("scratchpad_write_B"), 1'179'648 + 512 * 4);
  EXPECT_EQ(count("dram_activate"), 144 * 4 + 24 * 4);
  EXPECT_EQ(count("dram_refresh_ab"), 3 * 8);
}

TEST(WorkedExample, DerivesEachLoss) {
  constexpr double kCk = 1.25, kEdge = 0.75;
  const std::map<Loss, double> by_hand = {{Loss::issue, 2000 + 4 + 16},
                                          {Loss::row_miss, (16 + 2) * kCk},
                                          {Loss::queueing, (1 + 17) * kCk},
                                          {Loss::transfer, 1'179'648 / 102.4},
                                          {Loss::refresh, 3 * (8 + 17 + 224 + 16 + 17 - 19) * kCk},
                                          {Loss::tail, 4 * 4096 / 256 + 12}};
  double sum = 0;
  for (const auto& [loss, ns] : by_hand) {
    EXPECT_NEAR(nanoseconds(loss), loss == Loss::tail ? ns + kEdge : ns, 1e-6) << static_cast<int>(loss);
    expect_row(activity::kLossNames[static_cast<std::size_t>(loss)], fmt::format("{}", ns));
    sum += ns;
  }
  expect_row("**sum**", fmt::format("{}", sum));
  EXPECT_NEAR(step().total_s * 1e9, sum + kEdge, 1e-6);
  for (const Loss none : {Loss::turnaround, Loss::compute, Loss::dependency}) EXPECT_EQ(nanoseconds(none), 0);
}

TEST(WorkedExample, DerivesEachComponentsEnergy) {
  const double time = 14'648e-9;
  std::map<std::string, double> nj;
  nj["matrix"] = 2'097'152 * 0.10e-3 * 2;
  nj["dequantisation"] = 2'097'152 * 0.02e-3 + 65'536 * 0.576e-3;
  nj["scratchpad"] = (1'245'184 + 1'181'696) * 0.6e-3;
  nj["interconnect"] = 1'179'648 * 8 * 0.08e-3 * 5;
  nj["control"] = 32 * 11.6e-3;
  double clocked = 0;
  for (const auto& [name, value] : nj) clocked += value;
  nj["clock_tree"] = 0.15 / 0.85 * clocked;
  nj["dram_interface"] = 9'437'184 * 4.0e-3;
  nj["dram_device"] = 9'437'184 * 6.0e-3 + 672 * 1.2 + 24 * 2 * 23.4;
  nj["dram_standby"] = 16 * 37e-3 * time * 1e9;
  nj["leakage_sram"] = 2 * 5e-3 * time * 1e9;
  nj["leakage_logic"] = 40 * 2.5e-3 * time * 1e9;
  nj["uncore"] = 1.5 * time * 1e9;
  double before = 0;
  for (const auto& [name, value] : nj) before += value;
  nj["regulator_loss"] = (1 / 0.85 - 1) * before;
  nj["vector"] = 0;
  for (const result::NamedEnergy& e : step().energy_J) {
    ASSERT_TRUE(nj.count(e.component)) << e.component;
    EXPECT_NEAR(e.joules * 1e9, nj[e.component], 1e-6 * nj[e.component]) << e.component;
    if (e.component != "vector") expect_row(e.component, fmt::format("{:.2f}", nj[e.component]));
  }
  expect_row("**total**", fmt::format("{:.2f}", before / 0.85));
}

}  // namespace
}  // namespace edgenpu
