#include "base/pattern.h"

#include <gtest/gtest.h>

namespace edgenpu {
namespace {

TEST(Pattern, MatchesWholeNamesWithStarsForAnyText) {
  EXPECT_TRUE(matches("ffn_down", "ffn_down"));
  EXPECT_FALSE(matches("ffn", "ffn_down"));
  EXPECT_TRUE(matches("blk.*.attn_q", "blk.31.attn_q"));
  EXPECT_FALSE(matches("blk.*.attn_q", "blk.31.attn_k"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(matches("a*b*c", "a-b-b"));
  EXPECT_FALSE(matches("", "a"));
}

}  // namespace
}  // namespace edgenpu
