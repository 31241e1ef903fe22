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

TEST(Suggest, PrefersANameThatDiffersInCaseAndPunctuationOnly) {
  EXPECT_EQ(nearest("Q4KM", {"Q4_0", "Q4_K_S", "Q4_K_M"}), "Q4_K_M");
  EXPECT_EQ(nearest("q4km", {"Q4_0", "Q4_K_M"}), "Q4_K_M");
  EXPECT_EQ(nearest("--", {"-"}), "-");  // nothing but punctuation: by edits
}

TEST(Suggest, StaysSilentWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("zebra", {"rows", "columns"}), "");
}

}  // namespace
}  // namespace edgenpu
