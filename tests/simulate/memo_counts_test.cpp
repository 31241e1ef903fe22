// Bytes and products of a step of which a part was simulated are those of the whole program, exactly.
#include <random>

#include "simulate/one_product.h"

namespace edgenpu {
namespace {

using test::count;
using test::OneProduct;

void expect_same_counts(const OneProduct& p, const std::string& hardware,
                        const std::vector<std::string>& overrides, bool must_cut) {
  SCOPED_TRACE(hardware + " " + std::to_string(p.m) + " x " + std::to_string(p.n) + " x " +
               std::to_string(p.k));
  const auto memo = test::run_product(p, hardware, overrides, true);
  EXPECT_EQ(test::failed_checks(memo), "");
  EXPECT_EQ(memo.metrics.dram_read_B, p.n * vocabulary::row_bytes(p.format, p.k).count() +
                                          p.m * p.k * (p.format == vocabulary::format_named("W8") ? 1 : 2) +
                                          memo.metrics.dram_refetched_B);
  EXPECT_EQ(count(memo, "macs"), p.m * p.n * p.k);
  if (must_cut) {
    EXPECT_LT(memo.simulation.simulated_fraction, 1) << "nothing was extrapolated";
  }
}

TEST(MemoCounts, AreExactForOddProductsOnAnNpu) {
  expect_same_counts({1, 8191, 4097}, "npu-raiderchip-asic", {}, true);
  std::mt19937 random(20);
  for (int i = 0; i < 8; ++i)
    expect_same_counts(
        {1 + static_cast<std::int64_t>(random() % 3), 4001 + 2 * static_cast<std::int64_t>(random() % 3000),
         3001 + 2 * static_cast<std::int64_t>(random() % 2000)},
        "npu-raiderchip-asic", {i % 2 ? "memory.refresh=ab" : "scratchpad.size=1 MiB"}, false);
}

TEST(MemoCounts, AreExactForOddProductsOnProcessorsAndGpus) {
  std::mt19937 random(21);
  for (const char* hardware : {"cpu-rk3588", "gpu-orin-nano"})
    for (int i = 0; i < 2; ++i)
      expect_same_counts({1, 4001 + 2 * static_cast<std::int64_t>(random() % 3000),
                          1001 + 2 * static_cast<std::int64_t>(random() % 1000), vocabulary::Format::F16},
                         hardware, {}, false);
}

}  // namespace
}  // namespace edgenpu
