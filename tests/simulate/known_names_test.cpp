// Formats and quantisations that a hardware description names and that do not exist.
#include "simulate/known_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "simulate.h"

namespace edgenpu {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    simulate_detail::check_known_names(config::parse_text(text, "x.yaml"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(KnownNames, AreTheFormatsThatEnginesDecode) {
  EXPECT_THAT(error_of("matrix: {decode: {Q4_K: 256, Q4_KK: 256, source: x}}\n"),
              HasSubstr("x.yaml:1:30: 'Q4_KK' is no format; there are: F32, "));
  EXPECT_THAT(error_of("matrix: {decode: {q4_k: 256}}\n"), HasSubstr("did you mean 'Q4_K'?"));
  EXPECT_EQ(error_of("matrix: {decode: {Q4_K: 256, source: x}}\n"), "");
}

TEST(KnownNames, AreTheFormatsThatARuntimeHasKernelsFor) {
  EXPECT_THAT(error_of("runtime: {kernels: {avx2: {formats: {Q9_0: {}}}}}\n"),
              HasSubstr("x.yaml:1:38: 'Q9_0' is no format"));
  EXPECT_THAT(error_of("runtime: {kernels: {cuda: {batch: {formats: {Q80: {}}}}}}\n"),
              HasSubstr("'Q80' is no format"));
  EXPECT_THAT(error_of("runtime: {kernels: {cuda: {narrow: {below: {Q81: 1024}}}}}\n"),
              HasSubstr("'Q81' is no format"));
}

TEST(KnownNames, AreTheQuantisationsThatNeedAnotherRuntime) {
  EXPECT_THAT(error_of("runtime_for: {q4f61: mlc}\n"),
              HasSubstr("'q4f61' is no quantisation; there are: Q2_K, "));
  EXPECT_EQ(error_of("runtime_for: {q4f16: mlc}\n"), "");
}

TEST(KnownNames, AreCheckedInEveryDescription) {
  StepRequest r;
  r.hardware = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/npu-raiderchip-asic.yaml";
  r.overrides = {"matrix.decode.Q4_KK=16"};
  EXPECT_THROW(check_hardware(hardware_of(r)), InputError);
}

}  // namespace
}  // namespace edgenpu
