// Three planted faults, each named as the cause; and no cause where there is no fault.
#include "analysis/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/scaled_value.h"
#include "support/shipped.h"

namespace edgenpu::analysis {
namespace {

using ::testing::HasSubstr;

result::Explanation explained(const std::vector<std::string>& overrides) {
  StepRequest r;
  r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  r.overrides = overrides;
  r.model = "llama-3.2-1b";
  r.quant = "Q4_K_M";
  r.data_dir = EDGENPU_SOURCE_DIR;
  return explain(r);
}

TEST(Explain, NamesOneDmaChannelAsTheCauseAndChargesTheWholeTimeToResources) {
  const result::Explanation e = explained({"dma.channels=1"});
  EXPECT_EQ(e.cause, "dma.channels") << e.verdict;
  EXPECT_THAT(e.verdict, HasSubstr("dma.channels is the cause"));
  double sum = 0;
  for (const result::ResourceTime& r : e.critical_path) {
    EXPECT_GE(r.seconds, 0) << r.resource;
    sum += r.seconds;
  }
  EXPECT_NEAR(sum / e.step.total_s, 1, 1e-9);
}

TEST(Explain, NamesATinyScratchpadAsTheCause) {
  const result::Explanation e = explained({"scratchpad.size=112 KiB"});
  EXPECT_EQ(e.cause, "scratchpad.size") << e.verdict;
}

TEST(Explain, NamesASlowDequantiserAsTheCause) {
  const result::Explanation e =
      explained({"matrix.decode.Q4_K=16", "matrix.decode.Q6_K=16", "matrix.decode.F16=64"});
  EXPECT_EQ(e.cause, "matrix.decode.*") << e.verdict;
}

TEST(Explain, NamesNoCauseAtTheRoofWhereOnlyMoreBandwidthHelps) {
  const result::Explanation e = explained({});
  EXPECT_EQ(e.cause, "") << e.verdict;
  EXPECT_THAT(e.verdict, HasSubstr("At the memory's roof"));
  bool tried = false;
  for (const result::WhatIf& w : e.what_if) {
    EXPECT_THAT(w.path, ::testing::Not(HasSubstr("cpu."))) << "the step leaves the cores alone";
    if (w.path != "memory.channels") continue;
    tried = true;
    EXPECT_EQ(w.value, "8");
    EXPECT_NEAR(w.more->tokens_per_s, 1.0 / 8, 0.01);
    EXPECT_NEAR(w.less->tokens_per_s, -1.0 / 8, 0.01);
  }
  EXPECT_TRUE(tried);
}

// A prompt's attention reads no cache: the lanes take the time, not memory that nobody asks.
TEST(Explain, NamesTheArithmeticThatLimitsAPromptOnAGpu) {
  StepRequest r;
  r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/gpu/gpu-orin-nano.yaml";
  r.model = "smollm2-135m";
  r.quant = "Q4_K_M";
  r.phase = workload::Phase::prefill;
  r.prompt = 256;
  r.data_dir = EDGENPU_SOURCE_DIR;
  const result::Explanation e = explain(r);
  EXPECT_THAT(e.verdict, HasSubstr("Compute is the roof, at "));
  EXPECT_THAT(e.verdict, HasSubstr("Of its parts, multiprocessor.throughput."));
  EXPECT_EQ(e.cause, "");
  for (const result::OperatorResult& op : e.step.operators) {
    if (op.kind != "attention") continue;
    EXPECT_GT(op.losses_s[static_cast<std::size_t>(activity::Loss::compute)], 0.95 * op.time_s);
  }
  const auto seconds = [&](const char* resource) {
    for (const result::ResourceTime& t : e.critical_path)
      if (t.resource == resource) return t.seconds / e.step.total_s;
    return -1.0;
  };
  EXPECT_GT(seconds("products"), seconds("memory access"));
}

TEST(Explain, TriesTheNumbersOfCpusAndGpusToo) {
  const auto paths = [](const char* hardware) {
    StepRequest r;
    r.hardware = test::hardware_file(hardware);
    r.model = "smollm2-135m";
    r.quant = "Q4_K_M";
    r.context = 64;
    r.data_dir = EDGENPU_SOURCE_DIR;
    std::vector<std::string> all;
    for (const result::WhatIf& w : explain(r).what_if)
      if (w.relaxed) all.push_back(w.path);
    return all;
  };
  EXPECT_THAT(paths("cpu-rk3588.yaml"), testing::IsSupersetOf({"cores", "core.outstanding", "core.issue",
                                                               "core.run_ahead", "barrier"}));
  EXPECT_THAT(paths("gpu-orin-nano.yaml"),
              testing::IsSupersetOf({"multiprocessors", "multiprocessor.outstanding", "multiprocessor.issue",
                                     "launch.gap", "launch.graph_gap", "launch.latency"}));
}

TEST(ScaledValue, KeepsUnitsAndChangesWholeNumbersByAtLeastOne) {
  EXPECT_EQ(scaled_value("2 us", 1.1), "2.2 us");
  EXPECT_EQ(scaled_value("2 MiB", 2), "4194304 B");
  EXPECT_EQ(scaled_value("4", 1.1), "5");
  EXPECT_EQ(scaled_value("4", 0.9), "3");
  EXPECT_EQ(scaled_value("16 cycles", 0.5), "8 cycles");
  EXPECT_EQ(scaled_value("1 GHz", 1.1), "1.1 GHz");
  EXPECT_EQ(scaled_value("1.65", 2), "3.3");
  EXPECT_EQ(scaled_value("1", 0.9), "");
  EXPECT_EQ(scaled_value("auto", 2), "");
}

TEST(Explain, NamesTheHandOverToTheCpuAsTheCause) {
  StepRequest r;
  r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-raiderchip-asic-cpu.yaml";
  r.overrides = {"placement.cpu=[attn_norm, ffn_norm]", "cpu.handover=50 us"};
  r.model = "llama-3.2-1b";
  r.quant = "Q4_K_M";
  r.data_dir = EDGENPU_SOURCE_DIR;
  const result::Explanation e = explain(r);
  EXPECT_EQ(e.cause, "cpu.handover") << e.verdict;
  EXPECT_EQ(e.critical_path.back().resource, "hand-over");
  EXPECT_GT(e.critical_path.back().seconds, 32 * 50e-6);
  double sum = 0;
  for (const result::ResourceTime& resource : e.critical_path) sum += resource.seconds;
  EXPECT_NEAR(sum, e.step.total_s, 1e-9 * e.step.total_s);
  int tried = 0;
  for (const result::WhatIf& w : e.what_if)
    tried += w.path == "cpu.clock" || w.path == "cpu.cores" || w.path == "cpu.handover";
  EXPECT_EQ(tried, 3);
}

}  // namespace
}  // namespace edgenpu::analysis
