// A memory shared with a display and an operating system: what the step loses, and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "simulate.h"
#include "simulate/one_product.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

result::StepResult decode(const std::string& hardware, const std::string& bandwidth, bool memo = true,
                          const std::string& quant = "Q4_K_M", const std::string& model = "llama-3.2-1b") {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = test::hardware_file(hardware);
  r.model = model;
  r.context = 512;
  r.memo = memo;
  r.quant = quant;
  if (!bandwidth.empty()) r.overrides = {"memory.background.bandwidth=" + bandwidth};
  return simulate(r);
}

std::int64_t background_bytes(const result::StepResult& r) {
  for (const result::NamedCount& c : r.counts)
    if (c.name == "dram_background_B") return c.value;
  return -1;
}

std::string failed_checks(const result::StepResult& r) {
  std::string failed;
  bool there = false;
  for (const result::Check& c : r.checks) {
    there = there || c.name == "background_delivered";
    if (!c.ok) failed += c.name + ": " + c.detail + "\n";
  }
  return there ? failed : "no check of the background";
}

TEST(BackgroundTraffic, CostsAMemoryBoundStepItsShareOfTheBandwidthAndLittleMore) {
  const auto alone = decode("npu-raiderchip-asic", ""), shared = decode("npu-raiderchip-asic", "10.24 GB/s");
  EXPECT_EQ(background_bytes(alone), -1) << "no counter without such traffic";
  const double share = shared.metrics.tokens_per_s / alone.metrics.tokens_per_s;
  EXPECT_LE(share, 0.903);  // a tenth of the bus is gone
  EXPECT_GE(share, 0.88);   // and what rows and turns cost
  EXPECT_EQ(shared.metrics.dram_read_B, alone.metrics.dram_read_B) << "the step's own bytes are the same";
  EXPECT_NEAR(static_cast<double>(background_bytes(shared)), 10.24e9 * shared.total_s,
              0.01 * 10.24e9 * shared.total_s);
  EXPECT_GT(*shared.metrics.energy_J_per_token, *alone.metrics.energy_J_per_token);
  for (const result::Check& c : shared.checks) EXPECT_TRUE(c.ok) << c.name << ": " << c.detail;
}

// A display does not wait: what is asked for is delivered, and the step gets what remains.
TEST(BackgroundTraffic, IsDeliveredUpToMostOfThePeak) {
  const auto small = [](const std::string& bandwidth) {
    return decode("npu-raiderchip-asic", bandwidth, true, "Q4_K_M", "smollm2-135m");
  };
  const double alone = small("").metrics.tokens_per_s;
  for (const double asked : {25.6, 51.2, 60.0, 80.0}) {
    const auto r = small(std::to_string(asked) + " GB/s");
    EXPECT_NEAR(static_cast<double>(background_bytes(r)), asked * 1e9 * r.total_s,
                0.01 * asked * 1e9 * r.total_s);
    EXPECT_LT(r.metrics.tokens_per_s, alone * (1.02 - asked / 102.4)) << asked;
    EXPECT_GT(r.metrics.tokens_per_s, alone * (0.85 - asked / 102.4)) << asked;
    EXPECT_EQ(failed_checks(r), "") << asked;
  }
}

TEST(BackgroundTraffic, ThatMemoryCannotDeliverIsRefused) {
  EXPECT_THROW(decode("npu-raiderchip-asic", "102.4 GB/s"), InputError) << "all of the peak";
  for (const char* bandwidth : {"99 GB/s", "102.3 GB/s"}) {
    try {
      test::run_product({1024, 1024, 1024}, "npu-raiderchip-asic",
                        {std::string("memory.background.bandwidth=") + bandwidth});
      FAIL() << "rows and turns leave less than " << bandwidth;
    } catch (const InfeasibleError& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("memory.background.bandwidth"));
    }
  }
}

TEST(BackgroundTraffic, IsExtrapolatedWithTheStep) {
  const auto full = decode("npu-raiderchip-asic", "5 GB/s", false),
             memo = decode("npu-raiderchip-asic", "5 GB/s");
  EXPECT_NEAR(memo.total_s, full.total_s, 0.005 * full.total_s);
  EXPECT_NEAR(static_cast<double>(background_bytes(memo)), static_cast<double>(background_bytes(full)),
              0.01 * static_cast<double>(background_bytes(full)));
}

// In F16, so that both are bound by their memory.
TEST(BackgroundTraffic, SlowsProcessorsAndGpusToo) {
  const std::pair<const char*, const char*> cases[] = {{"gpu-orin-nano", "20 GB/s"},
                                                       {"cpu-i5-12400", "20 GB/s"}};
  for (const auto& [hardware, bandwidth] : cases) {
    const auto alone = decode(hardware, "", true, "F16", "smollm2-360m"),
               shared = decode(hardware, bandwidth, true, "F16", "smollm2-360m");
    EXPECT_LT(shared.metrics.tokens_per_s, 0.95 * alone.metrics.tokens_per_s) << hardware;
    EXPECT_GT(shared.metrics.tokens_per_s, 0.3 * alone.metrics.tokens_per_s) << hardware;
    EXPECT_EQ(shared.metrics.dram_read_B, alone.metrics.dram_read_B) << hardware;
    for (const result::Check& c : shared.checks) EXPECT_TRUE(c.ok) << c.name << ": " << c.detail;
  }
}

}  // namespace
}  // namespace edgenpu
