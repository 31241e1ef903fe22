#include "vocabulary/mixtures.h"

#include <gtest/gtest.h>
#include <set>

namespace edgenpu::vocabulary {
namespace {

// As llama.cpp numbers file types.
TEST(FileType, IsAMixtureByItsNumberAlsoWithoutRulesOfItsOwn) {
  const std::pair<std::int64_t, const char*> types[] = {
      {0, "F32"},     {1, "F16"},     {2, "Q4_0"},      {3, "Q4_1"},    {7, "Q8_0"},     {8, "Q5_0"},
      {9, "Q5_1"},    {10, "Q2_K"},   {11, "Q3_K_S"},   {12, "Q3_K_M"}, {13, "Q3_K_L"},  {14, "Q4_K_S"},
      {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"},   {18, "Q6_K"},   {19, "IQ2_XXS"}, {20, "IQ2_XS"},
      {21, "Q2_K_S"}, {22, "IQ3_XS"}, {23, "IQ3_XXS"},  {24, "IQ1_S"},  {25, "IQ4_NL"},  {26, "IQ3_S"},
      {27, "IQ3_M"},  {28, "IQ2_S"},  {29, "IQ2_M"},    {30, "IQ4_XS"}, {31, "IQ1_M"},   {32, "BF16"},
      {36, "TQ1_0"},  {37, "TQ2_0"},  {38, "MXFP4_MOE"}};
  for (const auto& [type, name] : types) EXPECT_STREQ(file_type_name(type), name) << type;
  EXPECT_EQ(file_type_name(-1), nullptr);
  EXPECT_EQ(file_type_name(33), nullptr);
}

TEST(Mixture, HasANameOfItsOwn) {
  const std::vector<std::string> names = mixture_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

}  // namespace
}  // namespace edgenpu::vocabulary
