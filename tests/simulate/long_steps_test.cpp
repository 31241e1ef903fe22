// Steps of minutes to hours of simulated time, with few events: no sum of times may wrap, no watchdog may take
// a long computation for a deadlock, and what cannot be represented is refused.
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulate.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

// One product, m x n x k in int8.
std::string trace_of_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::string path = fmt::format("{}long_{}_{}_{}.yaml", ::testing::TempDir(), m, n, k);
  std::ofstream(path) << fmt::format(
      "schema: 1\nmodel: t\nquant: x\nphase: prefill\ncontext: 0\ntokens: {}\nbatch: 1\nkv_format: F16\n"
      "resident_weights: 1 MiB\nresident_kv: 0 B\noperators:\n"
      "  - {{op: matmul, name: a, m: {}, n: {}, k: {}, format: Q8_0, input_on_chip: true}}\n",
      m, m, n, k);
  return path;
}

StepRequest request(const std::string& hardware, const std::vector<std::string>& overrides) {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = test::hardware_file(hardware);
  r.overrides = overrides;
  return r;
}

StepRequest product_on(const std::string& hardware, std::vector<std::string> overrides, std::int64_t m,
                       std::int64_t n, std::int64_t k) {
  StepRequest r = request(hardware, std::move(overrides));
  r.trace_file = trace_of_product(m, n, k);
  return r;
}

void expect_sound(const result::StepResult& r) {
  for (const result::Check& c : r.checks) EXPECT_TRUE(c.ok) << c.name << ": " << c.detail;
  double sum = 0;
  for (const double loss : r.losses_s) sum += loss;
  EXPECT_NEAR(sum, r.total_s, 1e-9 * r.total_s);
}

// One multiplier at 1 MHz: 134 M products are 134 s, on many channels far more channel-seconds than 9223.
TEST(LongSteps, OfAnNpuSumOverAnyNumberOfChannels) {
  for (const int channels : {8, 64, 256}) {
    const result::StepResult r = simulate(product_on(
        "npu-raiderchip-asic",
        {"clock=1 MHz", "matrix.engines=1", "matrix.rows=1", "matrix.columns=1",
         fmt::format("memory.channels={}", channels), fmt::format("memory.capacity={} GiB", 2 * channels)},
        512, 512, 512));
    EXPECT_NEAR(r.total_s, 134.2, 2) << channels;
    expect_sound(r);
  }
}

TEST(LongSteps, OfACpuScaleWithTheirWork) {
  const std::vector<std::string> channels = {"memory.channels=64", "memory.capacity=128 GiB"};
  const double once = simulate(product_on("cpu-rk3588", channels, 100'000, 4096, 4096)).total_s;
  const result::StepResult r = simulate(product_on("cpu-rk3588", channels, 4'000'000, 4096, 4096));
  EXPECT_GT(r.total_s, 9223.0 / 64);
  EXPECT_NEAR(r.total_s / once, 40, 0.2);
  expect_sound(r);
}

TEST(LongSteps, WhoseTimesSixtyFourBitsDoNotHoldAreInfeasible) {
  const StepRequest requests[] = {
      product_on("cpu-rk3588", {"clock=100 MHz"}, 20'000'000, 4096, 4096),
      product_on("gpu-orin-nano", {"clock=100 MHz"}, 90'000'000, 65'536, 4096),
      product_on("npu-raiderchip-asic",
                 {"clock=1 MHz", "matrix.engines=1", "matrix.rows=1", "matrix.columns=1"}, 4096, 4096, 4096)};
  for (const StepRequest& r : requests) {
    try {
      FAIL() << simulate(r).total_s;
    } catch (const InfeasibleError& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("9223 s")) << r.hardware;
    }
  }
}

TEST(LongSteps, MayWaitASecondForTheirHost) {
  StepRequest r = request("cpu-rk3588", {"runtime.launch.per_token=1 s"});
  r.model = "smollm2-135m";
  r.context = 16;
  const result::StepResult step = simulate(r);
  EXPECT_GT(step.total_s, 1);
  expect_sound(step);
}

TEST(LongSteps, MaySpendASecondInASetUpOrAnIssue) {
  for (const char* slow :
       {"dma.setup=1000000 cycles", "command_processor.issue=1000000 cycles", "host.overhead=1 s"}) {
    const result::StepResult r =
        simulate(product_on("npu-raiderchip-asic", {"clock=1 MHz", slow}, 4, 64, 64));
    EXPECT_GT(r.total_s, 1) << slow;
    expect_sound(r);
  }
}

}  // namespace
}  // namespace edgenpu
