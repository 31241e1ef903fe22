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

TEST(VectorEngine, BeginsEachRowWithAWordAndClimbsATreeForEachReduction) {
  EXPECT_EQ(row_words(3, 16, 16), 3);
  EXPECT_EQ(row_words(3, 17, 16), 6);
  EXPECT_EQ(pass_cycles(6, 3, 0, 16, Cycles(24)), Cycles(24 + 18));
  EXPECT_EQ(pass_cycles(6, 3, 2, 16, Cycles(24)), Cycles(24 + 18 + 2 * 4));
  EXPECT_EQ(pass_cycles(6, 3, 2, 17, Cycles(24)), Cycles(24 + 18 + 2 * 5));
  EXPECT_EQ(pass_cycles(6, 3, 2, 1, Cycles(24)), Cycles(24 + 18));
}

}  // namespace
}  // namespace edgenpu::timing
