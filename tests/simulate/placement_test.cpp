// Operators on the chip's CPU in whole steps: what they cost, by hand, and what stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/json.h"
#include "simulate.h"
#include "simulate/device.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

using activity::Loss;
using ::testing::HasSubstr;

StepRequest request(std::vector<std::string> overrides,
                    const std::string& hardware = "npu-raiderchip-asic-cpu") {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = test::hardware_file(hardware);
  r.model = "llama-3.2-1b";
  r.context = 512;
  r.overrides = std::move(overrides);
  return r;
}

StepRequest prefill(std::vector<std::string> overrides) {
  StepRequest r = request(std::move(overrides));
  r.phase = workload::Phase::prefill;
  r.prompt = 128;
  r.context = 0;
  return r;
}

double loss(const result::StepResult& r, Loss l) {
  return r.losses_s[static_cast<std::size_t>(l)];
}

std::int64_t count(const result::StepResult& r, const std::string& name) {
  for (const result::NamedCount& c : r.counts)
    if (c.name == name) return c.value;
  return 0;
}

double energy_of(const result::StepResult& r, const std::string& component) {
  for (const result::NamedEnergy& e : r.energy_J)
    if (e.component == component) return e.joules;
  return 0;
}

std::string failed_checks(const result::StepResult& r) {
  std::string names;
  for (const result::Check& c : r.checks)
    if (!c.ok) names += c.name + ": " + c.detail + "\n";
  return names;
}

// Everything but what describes the run itself.
std::string outcome(const StepRequest& request) {
  result::StepResult r = simulate(request);
  r.inputs = {};
  r.simulation = {};
  return report::json(r, {"", ""});
}

TEST(PlacementOfNothing, ChangesNothing) {
  for (const bool prompt : {false, true}) {
    StepRequest with = prompt ? prefill({"placement.cpu=[]"}) : request({"placement.cpu=[]"}), without = with;
    without.overrides.clear();
    without.hardware = request({}, "npu-raiderchip-asic").hardware;
    EXPECT_EQ(outcome(with), outcome(without));
  }
}

TEST(PlacementOfSampling, CostsTwoHandOversAndTheReadingOfTheLogits) {
  const result::StepResult r = simulate(request({}));
  EXPECT_EQ(failed_checks(r), "");
  EXPECT_EQ(count(r, "cpu_handovers"), 2);
  EXPECT_NEAR(loss(r, Loss::handover), 2 * 5e-6, 1e-12);
  // 128,256 logits of 4 B, 4 cores x 6 accesses of 64 B in 100 ns, behind the first: longer than two
  // operations each on 16 lanes of 1.5 GHz.
  EXPECT_NEAR(loss(r, Loss::cores), 100e-9 + 128256 * 4.0 / (4 * 6 * 64 / 100e-9), 1e-12);
  EXPECT_EQ(count(r, "dram_read_B"), count(simulate(request({}, "npu-raiderchip-asic")), "dram_read_B"));
}

TEST(PlacementOfSampling, CostsTheCoresCyclesAndTheirLeakage) {
  const result::StepResult r = simulate(request({}));
  const double awake = 2 * 5e-6 + 100e-9 + 128256 * 4.0 / (4 * 6 * 64 / 100e-9);
  EXPECT_NEAR(static_cast<double>(count(r, "core_cycles")), 4 * 1.5e9 * awake, 4);
  EXPECT_NEAR(energy_of(r, "cpu"), 4 * 1.5e9 * awake * 64e-12 + 4 * 2e-3 * r.total_s, 1e-9);
}

TEST(Placement, CostsAtLeastTwoHandOversWhereAStepHasNothingElse) {
  // With an ideal memory nothing hides them: each norm is on the path from one product to the next.
  const std::vector<std::string> ideal = {"memory.ideal=true", "placement.cpu=[attn_norm]"};
  const result::StepResult placed = simulate(request(ideal)),
                           own = simulate(request({"memory.ideal=true", "placement.cpu=[]"}));
  EXPECT_EQ(count(placed, "cpu_handovers"), 2 * 16);
  EXPECT_GE(placed.total_s - own.total_s, 2 * 16 * 5e-6 - 16 * 1e-6) << "less what the vector engine took";
  EXPECT_EQ(failed_checks(placed), "");
}

TEST(Placement, IsNeverFasterWithSlowerOrFewerCores) {
  for (const char* placed : {"placement.cpu=[softmax, '*_norm']", "placement.cpu=[ffn_act, sample]"})
    for (const bool prompt : {false, true}) {
      const auto time = [&](const std::string& change) {
        return simulate(prompt ? prefill({placed, change}) : request({placed, change})).total_s;
      };
      const double now = time("cpu.clock=1.5 GHz");
      EXPECT_GE(time("cpu.clock=500 MHz"), now * 0.998) << placed;
      EXPECT_GE(time("cpu.cores=1"), now * 0.998) << placed;
      EXPECT_GE(time("cpu.handover=50 us"), now * 0.998) << placed;
      EXPECT_GE(time("cpu.latency=1 us"), now * 0.998) << placed;
      EXPECT_LE(time("cpu.handover=0 us"), now * 1.002) << placed;
    }
}

TEST(Placement, AccountsForEveryByteOfPromptsAndBatches) {
  for (const char* placed : {"['rope_*', ffn_norm]", "[ffn_act]", "[attention]", "[attn_k]",
                             "[sample, token_embd]", "['blk.3.*']"}) {
    const std::string placement = std::string("placement.cpu=") + placed;
    StepRequest batch = request({placement});
    batch.batch = 4;
    EXPECT_EQ(failed_checks(simulate(batch)), "") << placed;
    EXPECT_EQ(failed_checks(simulate(prefill({placement}))), "") << placed;
  }
  // A rope that does not follow its product is written in fp32 and read again, a norm reads its sum again.
  const result::StepResult own = simulate(prefill({"placement.cpu=[]"})),
                           rope = simulate(prefill({"placement.cpu=['rope_*']"}));
  EXPECT_GE(count(rope, "dram_spilled_B"), count(own, "dram_spilled_B"));
}

TEST(Placement, IsTheSameForMemoAndFull) {
  for (const char* placed : {"[softmax, sample]", "[blk.5.ffn_norm, attn_add]", "[attn_k]", "[attention]"})
    for (const bool prompt : {false, true}) {
      const std::string placement = std::string("placement.cpu=") + placed;
      StepRequest r = prompt ? prefill({placement}) : request({placement});
      const result::StepResult memo = simulate(r);
      r.memo = false;
      const result::StepResult full = simulate(r);
      EXPECT_NEAR(memo.total_s / full.total_s, 1, 0.005) << placed << prompt;
      EXPECT_NEAR(*memo.metrics.energy_J_per_token / *full.metrics.energy_J_per_token, 1, 0.005)
          << placed << prompt;
      EXPECT_EQ(count(memo, "cpu_handovers"), count(full, "cpu_handovers")) << placed << prompt;
      EXPECT_EQ(failed_checks(memo), "");
    }
}

TEST(Placement, IsShownWithTheOperator) {
  const result::StepResult r = simulate(request({"placement.cpu=[softmax, blk.0.ffn_norm]"}));
  int norms = 0;
  for (const result::OperatorResult& op : r.operators) {
    if (op.name == "attention") {
      EXPECT_EQ(op.runs_on, "cpu: softmax");
    }
    if (op.name == "ffn_norm") norms += op.runs_on == "cpu" ? static_cast<int>(op.count) : 0;
    if (op.name == "attn_norm") {
      EXPECT_EQ(op.runs_on, "");
    }
  }
  EXPECT_EQ(norms, 1);
  EXPECT_THAT(report::json(r, {"", ""}), HasSubstr("\"handover\":"));
}

TEST(Placement, WithoutAPriceOfCoreCyclesIsRefused) {
  const StepRequest r = request({}), base = request({}, "npu-raiderchip-asic");
  const simulate_detail::Device device(hardware_of(r));
  const energy::Table table = energy::read_table(*hardware_of(base).find("energy"));
  try {
    device.assigned(trace_of(r), table);
    FAIL() << "must be refused";
  } catch (const InputError& e) {
    EXPECT_THAT(
        e.what(),
        HasSubstr("placement.cpu names operators, and the energy table has no price of 'core_cycles'"));
  }
}

}  // namespace
}  // namespace edgenpu
