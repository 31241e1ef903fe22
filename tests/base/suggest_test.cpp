#include "base/suggest.h"

#include <gtest/gtest.h>

namespace edgenpu {
namespace {

TEST(Suggest, CountsASwapOfNeighboursAsOneEdit) {
  EXPECT_EQ(edit_distance("colums", "columns"), 1);
  EXPECT_EQ(edit_distance("chanenls", "channels"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(Suggest, NamesTheNearestKey) {
  EXPECT_EQ(did_you_mean("colums", {"rows", "columns"}), "; did you mean 'columns'?");
}

TEST(Suggest, StaysSilentWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("zebra", {"rows", "columns"}), "");
}

}  // namespace
}  // namespace edgenpu
