// What may be calibrated, and how a factor lands in a description.
#include "evidence/calibration_spec.h"

#include <gmock/gmock.h>

#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::HasSubstr;
using CalibrationSpec = test::StudyFolder;

TEST_F(CalibrationSpec, ScalesNumbersWithTheirUnitsAndKeepsWholeOnesWhole) {
  const config::Value tree =
      config::parse_text("{a: 1.5 us, b: 27, c: 16 KiB, d: {value: 2.0 W, source: x}}", "t");
  EXPECT_EQ(scaled(tree, "a", 2).value.text(), "3 us");
  EXPECT_EQ(scaled(tree, "b", 0.5).value.text(), "14");
  EXPECT_EQ(scaled(tree, "c", 0.25).value.text(), "4096 B");
  EXPECT_EQ(scaled(tree, "d", 3).value.text(), "6 W");
  EXPECT_THROW(scaled(tree, "z", 2), InputError);
}

TEST_F(CalibrationSpec, ReadsTheShippedFileWhosePathsExist) {
  const auto classes =
      read_calibration(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/published/calibration.yaml");
  EXPECT_GE(classes.size(), 10u);
  const ClassSpec* c = class_of(classes, "npu-rk3588", "rkllm");
  ASSERT_NE(c, nullptr);
  const config::Value tree =
      config::load_hardware_tree(std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu/npu-rk3588.yaml", {});
  for (const FactorSpec& f : c->parameters) EXPECT_NO_THROW(scaled(tree, f.path, 2)) << f.path;
  EXPECT_EQ(class_of(classes, "npu-rk3588", "llama.cpp-cpu"), nullptr);
}

TEST_F(CalibrationSpec, ReportsFaultsWithTheirPositions) {
  const std::string file =
      write("c.yaml",
            "kind: calibration\nclasses:\n"
            "  - {name: a, platform: '(', runtime: x, parameters: [{path: b, factors: [2, 1]}]}\n");
  try {
    read_calibration(file);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("c.yaml:3:"));
    EXPECT_THAT(e.what(), HasSubstr("is no regular expression"));
    EXPECT_THAT(e.what(), HasSubstr("factors ascend, and 1 is among them"));
  }
}

}  // namespace
}  // namespace edgenpu::evidence
