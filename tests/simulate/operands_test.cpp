// Operand formats by operator, in whole steps: energy and time by hand, memo, and prices that are missing.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/resolve.h"
#include "simulate.h"
#include "simulate/device.h"

namespace edgenpu {
namespace {

using ::testing::HasSubstr;

StepRequest request(std::vector<std::string> overrides) {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = r.data_dir + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  r.model = "llama-3.2-1b";
  r.context = 512;
  r.overrides = std::move(overrides);
  return r;
}

double matrix_energy(const result::StepResult& r) {
  for (const result::NamedEnergy& e : r.energy_J)
    if (e.component == "matrix") return e.joules;
  return 0;
}

std::int64_t count(const result::StepResult& r, const std::string& name) {
  for (const result::NamedCount& c : r.counts)
    if (c.name == name) return c.value;
  return 0;
}

TEST(OperandsOfAStep, CostThePriceOfTheirProducts) {
  const result::StepResult own = simulate(request({})),
                           half = simulate(request({"lowering.operands={output: fp16}"}));
  // 128,256 x 2,048 products of Q6_K weights at 1.1 instead of 0.15 pJ, twice for the processing element.
  const double products = 128256.0 * 2048;
  EXPECT_NEAR(matrix_energy(half) - matrix_energy(own), products * (1.1 - 0.15) * 2e-12, 1e-9);
  EXPECT_EQ(count(half, "mac_fp16") - count(own, "mac_fp16"), std::int64_t{128256} * 2048);
  EXPECT_EQ(count(half, "dram_read_B"), count(own, "dram_read_B"));
  EXPECT_TRUE(half.all_checks_ok());
}

TEST(OperandsOfAStep, AtHalfTheRateTakeTwiceTheArrayWhereComputeIsTheRoof) {
  StepRequest narrow = request({"memory.ideal=true", "lowering.operands={'*': int8}"}), wide = narrow;
  narrow.phase = wide.phase = workload::Phase::prefill;
  narrow.prompt = wide.prompt = 128;
  narrow.context = wide.context = 0;
  wide.overrides.back() = "lowering.operands={'*': bf16}";
  const result::StepResult a = simulate(narrow), b = simulate(wide);
  // Attention keeps its own operands and takes a small part.
  EXPECT_NEAR(static_cast<double>(count(b, "matrix_limit_array")) /
                  static_cast<double>(count(a, "matrix_limit_array")),
              2, 0.05);
  EXPECT_NEAR(b.roofline.compute_tokens_per_s / a.roofline.compute_tokens_per_s, 0.5, 0.01);
  EXPECT_TRUE(b.all_checks_ok());
}

TEST(OperandsOfAStep, AreTheSameForMemoAndFull) {
  StepRequest r = request({"lowering.operands={blk.3.*: fp16, ffn_*: int8, attn_q: bf16}"});
  const result::StepResult memo = simulate(r);
  r.memo = false;
  const result::StepResult full = simulate(r);
  EXPECT_NEAR(memo.total_s / full.total_s, 1, 0.005);
  EXPECT_NEAR(*memo.metrics.energy_J_per_token / *full.metrics.energy_J_per_token, 1, 0.005);
  for (const char* exact : {"mac_fp16", "mac_bf16", "mac_int8", "mac_int4_int8", "vector_fma"})
    EXPECT_EQ(count(memo, exact), count(full, exact)) << exact;
}

TEST(OperandsOfAStep, WithoutAPriceAreRefusedAndItIsNamed) {
  const StepRequest r = request({"lowering.operands={ffn_up: bf16}"});
  const config::Value tree = hardware_of(r);
  energy::Table table = energy::read_table(*tree.find("energy"));
  for (energy::Component& c : table.components)
    for (std::size_t i = 0; i < c.charges.size();)
      if (std::string(c.charges[i].action->name) == "mac_bf16")
        c.charges.erase(c.charges.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
  const simulate_detail::Device device(tree);
  try {
    device.assigned(trace_of(r), table);
    FAIL() << "must be refused";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("lowering.operands has 'bf16' for 'ffn_up', and the energy table has no price "
                          "of 'mac_bf16'"));
  }
}

}  // namespace
}  // namespace edgenpu
