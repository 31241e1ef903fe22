#include "timing/unit_cycles.h"

#include <gtest/gtest.h>

namespace edgenpu::timing {
namespace {

TEST(Decoder, RoundsUpToWholeCycles) {
  EXPECT_EQ(decode_cycles(256, 256), Cycles(1));
  EXPECT_EQ(decode_cycles(257, 256), Cycles(2));
}

TEST(VectorEngine, TakesItsStartAndThenAnOperationPerLaneAndCycle) {
  EXPECT_EQ(vector_cycles(4096, 3, 16, Cycles(24)), Cycles(24 + 256 * 3));
  EXPECT_EQ(vector_cycles(17, 1, 16, Cycles(0)), Cycles(2));
}

}  // namespace
}  // namespace edgenpu::timing
