// A calibration from end to end, with small models on two NPUs.
#include "evidence/calibrate.h"

#include <cmath>
#include <fmt/format.h>

#include "evidence/validate.h"
#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using Calibrate = test::StudyFolder;

// Two parameters that act on the same time, with few points: their sum is no good estimate.
constexpr const char* kClasses =
    "kind: calibration\nclasses:\n"
    "  - name: RKLLM\n"
    "    platform: '^npu-rk'\n"
    "    runtime: '^rkllm$'\n"
    "    parameters:\n"
    "      - {path: runtime.launch.per_kernel, factors: [0.3, 1, 10], meaning: \"a job\"}\n"
    "      - {path: multiprocessor.outstanding, factors: [0.1, 1, 2], meaning: \"bytes in flight\"}\n";

std::string rows() {
  std::string text;
  int id = 0;
  for (const char* device : {"RK3588", "RK3576"})
    for (const char* model : {"SmolLM2-135M", "Qwen3-0.6B"})
      for (const int decode : {20, 24, 28})
        text += fmt::format(
            "- {{id: r{}, device: {}, device_class: npu, model: {}, quant: w8a8, runtime: RKLLM, "
            "gen_tokens: 64, decode_tok_s: {}}}\n",
            id++, device, model, decode);
  return text;
}

TEST_F(Calibrate, ReportsErrorsThatValidateFindsWithWhatItFound) {
  const Measurements measurements = read_measurements(write("m.yaml", rows()));
  CalibrateRequest request;
  request.data_dir = EDGENPU_SOURCE_DIR;
  request.mapping = request.data_dir + "/hw_configs/published/mapping.yaml";
  request.specification = write("classes.yaml", kClasses);
  request.cache = path("steps.tsv");
  const result::Calibration found = calibrate(measurements, request);
  ASSERT_EQ(found.classes.size(), 1u);
  ASSERT_EQ(found.classes[0].parameters.size(), 2u);
  ASSERT_EQ(found.rows.size(), 12u);

  ValidateRequest check;
  check.data_dir = request.data_dir;
  check.mapping = request.mapping;
  check.metrics = {"decode"};
  const result::Validation as_described = validate(measurements, check);
  check.calibration = write("calibrated.yaml", to_yaml(found));
  const result::Validation fitted = validate(measurements, check);
  ASSERT_EQ(fitted.rows.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    const auto error = [](const result::ValidationRow& r) { return *r.simulated / r.measured - 1; };
    EXPECT_NEAR(found.rows[i].uncalibrated, error(as_described.rows[i]), 1e-6) << i;
    EXPECT_NEAR(found.rows[i].fitted, error(fitted.rows[i]), 2e-3)
        << i;  // factors are written with four digits
  }
  EXPECT_LT(found.all.fitted.mean, found.all.uncalibrated.mean);
}

}  // namespace
}  // namespace edgenpu::evidence
