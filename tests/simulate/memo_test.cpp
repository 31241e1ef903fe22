// --repeat memo against full: within half a per cent in time and energy, exact in what is exact, and cheap.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulate.h"

namespace edgenpu {
namespace {

struct Case {
  const char* name;
  const char* model;
  std::int64_t context;
  std::vector<std::string> overrides;
};

result::StepResult run(const Case& c, bool memo) {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = r.data_dir + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  r.model = c.model;
  r.context = c.context;
  r.overrides = c.overrides;
  r.memo = memo;
  return simulate(r);
}

std::string failed_checks(const result::StepResult& r) {
  std::string names;
  for (const result::Check& c : r.checks)
    if (!c.ok) names += c.name + ": " + c.detail + "\n";
  return names;
}

double off(double memo, double full) {
  return std::abs(memo / full - 1);
}

class Memo : public ::testing::TestWithParam<Case> {};

TEST_P(Memo, AgreesWithAFullSimulation) {
  const result::StepResult full = run(GetParam(), false), memo = run(GetParam(), true);
  EXPECT_LT(off(memo.total_s, full.total_s), 0.005);
  EXPECT_LT(off(*memo.metrics.energy_J_per_token, *full.metrics.energy_J_per_token), 0.005);
  for (std::size_t i = 0; i < full.losses_s.size(); ++i)
    EXPECT_NEAR(memo.losses_s[i], full.losses_s[i], 0.01 * full.total_s) << activity::kLossNames[i];
  for (std::size_t e = 0; e < full.engines.size(); ++e)
    for (std::size_t b = 0; b < activity::kBuckets; ++b)
      EXPECT_NEAR(memo.engines[e].seconds[b], full.engines[e].seconds[b], 0.02 * full.total_s)
          << full.engines[e].name << " " << activity::kBucketNames[b];
  EXPECT_EQ(failed_checks(memo), "");
  EXPECT_EQ(memo.metrics.dram_read_B, full.metrics.dram_read_B);
  EXPECT_EQ(memo.metrics.dram_write_B, full.metrics.dram_write_B);
  EXPECT_EQ(memo.operators.size(), full.operators.size());
  // The real error may exceed the estimate, but not by an order of magnitude.
  EXPECT_LT(off(memo.total_s, full.total_s), 10 * memo.simulation.error_estimate + 1e-4);
  EXPECT_EQ(full.simulation.error_estimate, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Steps, Memo,
    ::testing::Values(Case{"Plain", "llama-3.1-8b", 1024, {}},
                      Case{"AllBankRefresh", "llama-3.1-8b", 1024, {"memory.refresh=ab"}},
                      Case{"BoundByCompute", "llama-3.2-1b", 1024, {"matrix.engines=1", "matrix.rows=2"}},
                      Case{"NearBalance", "llama-3.2-1b", 1024, {"matrix.engines=1"}},
                      Case{"LargeScratchpad", "llama-3.2-3b", 1024, {"scratchpad.size=8 MiB"}},
                      Case{"SmallScratchpad", "llama-3.2-3b", 1024, {"scratchpad.size=512 KiB"}},
                      Case{"LongContext", "llama-3.2-1b", 32768, {}},
                      Case{"WithoutPrefetch", "llama-3.2-1b", 1024, {"lowering.prefetch=false"}},
                      Case{
                          "ManyChannels", "qwen3-4b", 1024, {"memory.channels=32", "memory.capacity=64 GiB"}},
                      Case{"IdealMemory", "llama-3.2-1b", 1024, {"memory.ideal=true"}},
                      Case{"GatheredPages",
                           "llama-3.2-1b",
                           8192,
                           {"lowering.kv_page=16", "dma.gather=true", "command_processor.barriers=layer"}},
                      Case{"SlowVectorInPasses",
                           "llama-3.2-1b",
                           8192,
                           {"vector.lanes=2", "vector.pipelines=2", "scratchpad.ports=1rw",
                            "scratchpad.conflicts=true", "scratchpad.banks=8",
                            "vector.operations.softmax=[{operations: 3, reduce: true}, {operations: 4}]"}},
                      Case{"NarrowWires",
                           "llama-3.2-1b",
                           8192,
                           {"interconnect.width=96 B/cycle", "interconnect.arbitration=round_robin",
                            "command_processor.barriers=operator"}},
                      Case{"Experts", "olmoe-1b-7b", 1024, {}}, Case{"Small", "smollm2-135m", 256, {}}),
    [](const auto& info) { return std::string(info.param.name); });

// Layers whose plans differ are not alike, and a pattern names them as the model does.
TEST(MemoPlan, OfSomeLayersOnlyAgreesWithAFullSimulation) {
  const std::vector<std::string> plan = {"lowering.plan={blk.1*.ffn_down: {tile_n: 1}}"};
  const Case one{"", "llama-3.2-1b", 64, plan}, none{"", "llama-3.2-1b", 64, {}};
  const result::StepResult full = run(one, false), memo = run(one, true), plain = run(none, true);
  EXPECT_LT(off(memo.total_s, full.total_s), 0.005);
  EXPECT_EQ(failed_checks(memo), "");
  EXPECT_GT(memo.total_s, plain.total_s * 1.002) << "loads of one row are slow";
}

TEST(MemoCost, SimulatesAboutATenthOfLlama8b) {
  const result::StepResult memo = run({"", "llama-3.1-8b", 1024, {}}, true);
  EXPECT_LT(memo.simulation.simulated_fraction, 0.12);
  EXPECT_LT(memo.simulation.error_estimate, 0.005);
}

}  // namespace
}  // namespace edgenpu
