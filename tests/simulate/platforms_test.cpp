// CPUs and GPUs end to end: published measurements that no parameter was chosen by, physics, and why small
// models lose.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/value.h"
#include "simulate.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

using activity::Loss;

StepRequest request(const std::string& hardware, const std::string& model, const std::string& quant,
                    std::int64_t context, std::vector<std::string> overrides = {}) {
  StepRequest r;
  r.hardware = test::hardware_file(hardware);
  r.overrides = std::move(overrides);
  r.model = model;
  r.quant = quant;
  r.context = context;
  r.data_dir = EDGENPU_SOURCE_DIR;
  return r;
}

double loss(const result::StepResult& r, Loss l) {
  return r.losses_s[static_cast<std::size_t>(l)] / r.total_s;
}

void expect_physics(const result::StepResult& r) {
  for (const result::Check& c : r.checks) EXPECT_TRUE(c.ok) << c.name << ": " << c.detail;
  EXPECT_LT(r.roofline.fraction_of_roof, 1);
}

struct Anchor {
  const char *hardware, *model, *quant;
  std::int64_t context;
  double low, high;  // tokens/s
  const char* source;
};

class Measured : public ::testing::TestWithParam<Anchor> {};
INSTANTIATE_TEST_SUITE_P(Anchors, Measured,
                         ::testing::Values(Anchor{"gpu-orin-nano-68gbps", "llama-3.1-8b", "q4f16", 512,
                                                  14.0 * 0.8, 14.0 * 1.2, "NVIDIA Jetson AI lab, MLC"},
                                           Anchor{"gpu-orin-nano", "llama-3.1-8b", "q4f16", 512, 19.14 * 0.8,
                                                  19.14 * 1.2, "NVIDIA Jetson AI lab, MLC"},
                                           Anchor{"gpu-orin-nano", "llama-3.2-3b", "q4f16", 512, 43.07 * 0.8,
                                                  43.07 * 1.2, "NVIDIA Jetson AI lab, MLC"},
                                           Anchor{"cpu-raspberry-pi-5", "llama-3.1-8b", "Q4_K_M", 256,
                                                  2.17 * 0.8, 2.17 * 1.2,
                                                  "geerlingguy/ai-benchmarks, Ollama"},
                                           Anchor{"cpu-rk3588", "llama-2-7b", "Q4_K_M", 256, 3, 5,
                                                  "platform claims: 3 to 5 tokens/s on the CPU"}));

TEST_P(Measured, LiesWithinTwentyPercentOrInTheRange) {
  const Anchor& a = GetParam();
  const result::StepResult r = simulate(request(a.hardware, a.model, a.quant, a.context));
  expect_physics(r);
  EXPECT_GE(r.metrics.tokens_per_s, a.low) << a.source;
  EXPECT_LE(r.metrics.tokens_per_s, a.high) << a.source;
}

class SmallModel : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Platforms, SmallModel,
                         ::testing::Values("gpu-orin-nano", "cpu-i5-12400", "cpu-raspberry-pi-5"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Launches, barriers, host work and what cannot be shared among cores grow with layers, not with bytes.
TEST_P(SmallModel, LosesBandwidthToIssueAndCompute) {
  const result::StepResult small = simulate(request(GetParam(), "smollm2-135m", "Q4_K_M", 256));
  const result::StepResult large = simulate(request(GetParam(), "llama-3.2-3b", "Q4_K_M", 256));
  expect_physics(small);
  EXPECT_LT(*small.metrics.dram_utilisation, 0.9 * *large.metrics.dram_utilisation);
  EXPECT_GT(loss(small, Loss::issue) + loss(small, Loss::compute),
            2 * (loss(large, Loss::issue) + loss(large, Loss::compute)));
}

TEST(LaunchOverhead, HalvedMovesASmallModelAndLeavesALargeOneNearlyAlone) {
  const auto speed_up = [](const char* model) {
    const auto slow = simulate(request("gpu-orin-nano", model, "Q4_K_M", 256));
    const auto fast =
        simulate(request("gpu-orin-nano", model, "Q4_K_M", 256,
                         {"launch.graph_gap=0.35 us", "launch.latency=1000 cycles",
                          "runtime.launch.per_token=0.5 ms", "runtime.launch.per_kernel=3.5 us"}));
    return fast.metrics.tokens_per_s / slow.metrics.tokens_per_s;
  };
  EXPECT_GT(speed_up("smollm2-135m"), 1.15);
  const double large = speed_up("llama-3.1-8b");
  EXPECT_LT(large, 1.04);
  EXPECT_GT(large, 1.0);
}

// The tolerance of --repeat memo on CPUs and GPUs: 1 % of time and energy; bytes and products exactly. The
// second model has parts long enough to be simulated by a stretch.
TEST(Memo, AgreesWithAFullRunOnCpusAndAGpu) {
  const std::pair<const char*, const char*> cases[] = {{"cpu-rk3588", "smollm2-135m"},
                                                       {"gpu-orin-nano", "smollm2-135m"},
                                                       {"gpu-orin-nano", "qwen2.5-0.5b"},
                                                       {"cpu-i5-12400", "qwen2.5-0.5b"},
                                                       {"cpu-raspberry-pi-5", "qwen2.5-0.5b"}};
  for (const auto& [hardware, model] : cases) {
    StepRequest r = request(hardware, model, "Q4_K_M", 128);
    const result::StepResult memo = simulate(r);
    r.memo = false;
    const result::StepResult full = simulate(r);
    expect_physics(memo);
    expect_physics(full);
    EXPECT_LT(memo.simulation.simulated_fraction, 0.3) << hardware;
    EXPECT_NEAR(memo.total_s / full.total_s, 1, 0.01) << hardware << " " << model;
    EXPECT_EQ(memo.metrics.dram_read_B, full.metrics.dram_read_B);
    EXPECT_NEAR(*memo.metrics.energy_J_per_token / *full.metrics.energy_J_per_token, 1, 0.01) << hardware;
    for (std::size_t l = 0; l < full.losses_s.size(); ++l)
      EXPECT_NEAR(memo.losses_s[l] / full.total_s, full.losses_s[l] / full.total_s, 0.015)
          << hardware << " " << model << " " << activity::kLossNames[l];
  }
}

// Bound by arithmetic: ten cores, rows of half precision. A stretch that was no whole round of the cores made
// this step 2 % too fast, below its own compute bound.
TEST(Memo, KeepsTheComputeBoundWhereEveryCoreComputes) {
  StepRequest r = request("gpu-apple-m4", "llama-2-7b", "F16", 0);
  r.phase = workload::Phase::prefill;
  r.prompt = 512;
  expect_physics(simulate(r));
}

// Six cores that pass from stretch to stretch at moments of their own: one core's times once came out
// negative.
TEST(Memo, KeepsThePhysicsWhereCoresDriftApart) {
  expect_physics(simulate(request("cpu-i5-12400", "llama-3.1-8b", "F16", 1024)));
}

TEST(Platform, GivesTheSameBytesTwice) {
  const StepRequest r = request("cpu-raspberry-pi-5", "smollm2-135m", "Q4_K_M", 64);
  EXPECT_EQ(simulate(r).total_s, simulate(r).total_s);
}

TEST(Platform, DecodesAMixtureOfExperts) {
  expect_physics(simulate(request("cpu-rk3588", "olmoe-1b-7b", "Q4_K_M", 64)));
}

TEST(Platform, DecodesABatchAndAWindow) {
  StepRequest r = request("gpu-orin-nano", "gemma-3-1b", "Q4_K_M", 2000);
  expect_physics(simulate(r));
  r = request("cpu-rk3588", "qwen2.5-0.5b", "Q8_0", 64);
  r.batch = 3;
  expect_physics(simulate(r));
}

TEST(Platform, PrefillsFasterThanItDecodes) {
  StepRequest r = request("gpu-orin-nano", "llama-3.2-1b", "Q4_K_M", 0);
  r.phase = workload::Phase::prefill;
  r.prompt = 256;
  const result::StepResult prefill = simulate(r);
  expect_physics(prefill);
  EXPECT_GT(prefill.metrics.tokens_per_s, 500);
}

// 30 layers and what follows them: a call each, for which the NPU waits.
// Operators that share a kernel: a core's cycles go to the operator that its time goes to.
TEST(Platform, CountsTheCyclesOfCoresForTheOperatorsThatTakeTheTime) {
  for (const bool memo : {false, true}) {
    StepRequest r = request("gpu-orin-nano", "llama-3.2-1b", "Q4_K_M", 256);
    r.memo = memo;
    const result::StepResult step = simulate(r);
    int compared = 0;
    for (const result::OperatorResult& op : step.operators) {
      if (op.time_s < 0.005 * step.total_s) continue;
      const auto cycles = std::find_if(op.counts.begin(), op.counts.end(),
                                       [](const auto& c) { return c.name == "core_cycles"; });
      ASSERT_NE(cycles, op.counts.end()) << op.name;
      EXPECT_NEAR(static_cast<double>(cycles->value) / (8 * 1.02e9 * op.time_s), 1, 0.1) << op.name;
      ++compared;
    }
    EXPECT_GE(compared, 8);
  }
}

// The cached keys and values of a prompt from the start are none: arithmetic alone takes the time.
TEST(Platform, ChargesWorkWithoutDataToCompute) {
  StepRequest r = request("gpu-orin-nano", "llama-3.2-1b", "Q4_K_M", 0);
  r.phase = workload::Phase::prefill;
  r.prompt = 512;
  const result::StepResult step = simulate(r);
  for (const result::OperatorResult& op : step.operators) {
    if (op.kind != "attention" && op.kind != "activation") continue;
    EXPECT_EQ(op.dram_B, 0);
    EXPECT_GT(op.losses_s[static_cast<std::size_t>(Loss::compute)], 0.95 * op.time_s) << op.name;
  }
}

TEST(Platform, WaitsForTheHostBetweenLayersThatItCalls) {
  StepRequest r = request("npu-ax650n", "smollm2-135m", "axera-s8", 256, {"runtime.launch.per_layer=0 us"});
  const double free = simulate(r).total_s;
  r.overrides = {"runtime.launch.per_layer=300 us"};
  EXPECT_NEAR(simulate(r).total_s - free, 31 * 300e-6, 0.05 * 31 * 300e-6);
}

TEST(Platform, ChoosesTheRuntimeThatAQuantisationNeeds) {
  const result::StepResult mlc = simulate(request("gpu-orin-nano", "smollm2-135m", "q4f16", 64));
  EXPECT_EQ(mlc.inputs.resolved_hardware->find("runtime")->find("name")->text(), "mlc");
  const StepRequest own = request("gpu-orin-nano", "smollm2-135m", "q4f16", 64, {"runtime.part=tensorrt"});
  EXPECT_EQ(simulate(own).inputs.resolved_hardware->find("runtime")->find("name")->text(), "tensorrt");
}

TEST(SimulateAll, KeepsTheOrderAndReportsWhatDoesNotFit) {
  const auto outcomes = simulate_all({request("gpu-orin-nano", "llama-2-7b", "F16", 64),
                                      request("cpu-rk3588", "smollm2-135m", "Q4_K_M", 64)},
                                     2);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_FALSE(outcomes[0].result);
  EXPECT_THAT(outcomes[0].result.why().text, ::testing::HasSubstr("does not fit the memory"));
  EXPECT_EQ(outcomes[0].facts.kind, "gpu");
  ASSERT_TRUE(outcomes[1].result);
  EXPECT_EQ(outcomes[1].result->metrics.dram_read_B,
            simulate(request("cpu-rk3588", "smollm2-135m", "Q4_K_M", 64)).metrics.dram_read_B);
}

TEST(SimulateAll, ThrowsWhatIsWrongWithAnInput) {
  EXPECT_THROW(simulate_all({request("no-such-hardware", "smollm2-135m", "Q4_K_M", 64)}, 1), InputError);
}

}  // namespace
}  // namespace edgenpu
