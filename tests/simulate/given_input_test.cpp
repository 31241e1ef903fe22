// The rows of a product that no operator makes lie in memory: they are read, once at least, by every device.
#include <random>

#include "simulate/one_product.h"

namespace edgenpu {
namespace {

using test::OneProduct;

std::int64_t weights(const OneProduct& p) {
  return p.n * workload::row_bytes(p.format, p.k).count();
}

TEST(GivenInput, OfAProductOfAThousandIsAMebibyte) {
  const OneProduct p{1024, 1024, 1024};
  const auto r = test::run_product(p, "npu-raiderchip-asic");
  EXPECT_EQ(r.metrics.dram_read_B - r.metrics.dram_refetched_B, 1'052'672 + (1 << 20));
  EXPECT_EQ(test::failed_checks(r), "");
}

TEST(GivenInput, IsReadByEveryKindOfDevice) {
  const OneProduct p{16, 512, 512, workload::Format::F16};
  for (const char* hardware : {"npu-raiderchip-asic", "cpu-rk3588", "gpu-orin-nano"}) {
    const auto r = test::run_product(p, hardware);
    EXPECT_EQ(r.metrics.dram_read_B - r.metrics.dram_refetched_B, weights(p) + 16 * 512 * 2) << hardware;
    EXPECT_EQ(test::failed_checks(r), "") << hardware;
  }
}

TEST(GivenInput, ThatIsOnTheChipCostsNothing) {
  OneProduct p{16, 512, 512};
  const auto read = test::run_product(p, "npu-raiderchip-asic");
  p.input_on_chip = true;
  const auto there = test::run_product(p, "npu-raiderchip-asic");
  EXPECT_EQ(there.metrics.dram_read_B, weights(p));
  EXPECT_LT(there.total_s, read.total_s);
}

// Whatever is tiled, the input is among the bytes that are needed, and what is read again is counted apart.
TEST(GivenInput, IsAccountedForInRandomShapesAndScratchpads) {
  std::mt19937 random(22);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::vector<std::vector<std::string>> dataflows = {
      {"matrix.dataflow=dot_product"},
      {"matrix.dataflow=weight_stationary", "matrix.weight_load=overlapped"},
      {"matrix.dataflow=output_stationary", "matrix.drain=serial"}};
  for (int i = 0; i < 12; ++i) {
    const OneProduct p{1 + below(300), 1 + below(900), 1 + below(900)};
    const std::string size = std::to_string(24 << below(5));
    std::vector<std::string> overrides = dataflows[static_cast<std::size_t>(i % 3)];
    overrides.push_back("scratchpad.size=" + size + " KiB");
    const auto r = test::run_product(p, "npu-raiderchip-asic", overrides);
    SCOPED_TRACE(testing::Message() << p.m << " x " << p.n << " x " << p.k << " in " << size << " KiB");
    EXPECT_EQ(test::failed_checks(r), "");
    EXPECT_EQ(r.metrics.dram_read_B - r.metrics.dram_refetched_B, weights(p) + p.m * p.k);
  }
}

}  // namespace
}  // namespace edgenpu
