#include "timing/dot_product.h"

#include <gtest/gtest.h>

namespace edgenpu::timing {
namespace {

constexpr DotProductArray kArray{4, 128, 1.0};

TEST(DotProductArray, TakesOneCycleForEachFullPass) {
  EXPECT_EQ(dot_product_cycles(kArray, 1, 4, 128), Cycles(1));
  EXPECT_EQ(dot_product_cycles(kArray, 1, 7, 4096), Cycles(2 * 32));
  EXPECT_EQ(dot_product_cycles(kArray, 3, 4, 128), Cycles(3));
}

TEST(DotProductArray, WastesTheRestOfAPassThatIsNotFilled) {
  EXPECT_EQ(dot_product_cycles(kArray, 1, 1, 1), Cycles(1));
  EXPECT_EQ(dot_product_cycles(kArray, 1, 5, 129), Cycles(4));
}

TEST(DotProductArray, TakesTwiceAsLongForOperandsAtHalfTheRate) {
  EXPECT_EQ(dot_product_cycles({4, 128, 0.5}, 1, 4, 1024), Cycles(16));
  EXPECT_EQ(dot_product_cycles({4, 128, 0.5}, 1, 4, 1025), Cycles(18));
}

TEST(DotProductArray, NeverBeatsItsPeak) {
  for (std::int64_t m : {1, 2, 5})
    for (std::int64_t n : {1, 3, 4, 9, 100})
      for (std::int64_t k : {1, 127, 128, 129, 4096})
        EXPECT_GE(dot_product_cycles(kArray, m, n, k).count() * 4 * 128, m * n * k);
}

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
