#include "energy/dram_energy.h"

#include <gtest/gtest.h>

namespace edgenpu::energy {
namespace {

TEST(DramEnergy, IsAmountTimesPriceAtTheValueAndAtBothEnds) {
  DramPrices p;
  p.read_core = {5e-12, 4e-12, 6e-12, "", ""};
  p.write_core = {3e-12, 2e-12, 5e-12, "", ""};
  p.self_refresh = {1e-12, 5e-13, 4e-12, "", ""};
  DramActivity a;
  a.read_bits = 80, a.write_bits = 16;
  a.rank = Bytes(1000);
  a.self_refresh = Seconds(2);
  const std::vector<DramEnergyPart> parts = dram_energy(p, a);
  EXPECT_EQ(parts[0].component, "device_core");
  EXPECT_DOUBLE_EQ(parts[0].energy.count(), 10 * 5e-12 + 2 * 3e-12);
  EXPECT_DOUBLE_EQ(parts[0].low.count(), 10 * 4e-12 + 2 * 2e-12);
  EXPECT_DOUBLE_EQ(parts[0].high.count(), 10 * 6e-12 + 2 * 5e-12);
  EXPECT_EQ(parts[4].component, "background");
  EXPECT_DOUBLE_EQ(parts[4].energy.count(), 2000 * 1e-12);
  EXPECT_DOUBLE_EQ(parts[4].low.count(), 2000 * 5e-13);
  EXPECT_DOUBLE_EQ(parts[4].high.count(), 2000 * 4e-12);
}

}  // namespace
}  // namespace edgenpu::energy
