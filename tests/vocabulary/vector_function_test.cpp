#include "vocabulary/vector_function.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace edgenpu::vocabulary {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(VectorFunction, IsFoundByItsNameAndStandsInTheOrderOfNames) {
  const std::vector<std::string> names = vector_function_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const FunctionInfo& f : vector_functions()) {
    EXPECT_EQ(function_by_name(f.name), f.function);
    EXPECT_STREQ(name_of(f.function), f.name);
  }
  EXPECT_EQ(function_by_name("softmx"), std::nullopt);
  EXPECT_THROW(info(static_cast<VectorFunction>(vector_functions().size())), InternalError);
}

TEST(VectorFunction, OfAWholeRowIsANormASoftmaxOrARounding) {
  EXPECT_THAT(row_function_names(), ElementsAre("layer_norm", "quantise", "rms_norm", "softmax"));
}

// Kernels of attention correct their partial sums themselves.
TEST(VectorFunction, RescaleIsNoKernelOfItsOwn) {
  EXPECT_THAT(kernel_function_names(), Not(Contains("rescale")));
  EXPECT_EQ(kernel_function_names().size() + 1, vector_functions().size());
}

}  // namespace
}  // namespace edgenpu::vocabulary
