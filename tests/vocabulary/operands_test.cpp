#include "vocabulary/operands.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace edgenpu::vocabulary {
namespace {

TEST(OperandPair, IsFoundByItsNameAndStandsInTheOrderOfNames) {
  std::vector<std::string> names = names_of({kAllOperands.begin(), kAllOperands.end()});
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const Operands pair : kAllOperands) EXPECT_EQ(operands_by_name(name_of(pair)), pair);
  EXPECT_EQ(operands_by_name("fp8"), std::nullopt);
}

TEST(OperandPair, TakesAnActivationInOneByteOrTwo) {
  EXPECT_EQ(activation_bytes(Operands::int4_int8), 1);
  EXPECT_EQ(activation_bytes(Operands::int8), 1);
  EXPECT_EQ(activation_bytes(Operands::fp16), 2);
  EXPECT_EQ(activation_bytes(Operands::bf16), 2);
}

}  // namespace
}  // namespace edgenpu::vocabulary
