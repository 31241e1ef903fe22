// Number formats that a chip's own toolkit refuses.
#include "simulate/toolkit.h"

#include <gmock/gmock.h>

#include "config/resolve.h"
#include "support/shipped.h"

namespace edgenpu::simulate_detail {
namespace {

using ::testing::HasSubstr;

config::Value tree(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return config::load_hardware_tree(test::hardware_file(name), overrides);
}

StepRequest request(const std::string& quant) {
  StepRequest r;
  r.model = "smollm2-135m";
  r.quant = quant;
  r.context = 8;
  r.data_dir = EDGENPU_SOURCE_DIR;
  return r;
}

std::string refusal(const std::string& hardware, const std::string& quant,
                    const std::vector<std::string>& overrides = {}) {
  try {
    check_toolkit(trace_of(request(quant)), tree(hardware, overrides));
  } catch (const InfeasibleError& e) {
    return e.what();
  }
  return "";
}

TEST(Toolkit, RefusesWhatItDoesNotMakeAndNamesWhatItMakes) {
  EXPECT_EQ(refusal("npu-rk3588", "w4a16"),
            "the toolkit of npu-rk3588 (rkllm) makes no model in w4a16; it makes: int8, w8a8, w8a8_g128, "
            "w8a8_g256, w8a8_g512, F16");
  EXPECT_THAT(refusal("npu-rk3588-lpddr5", "w4a16_g128"), HasSubstr("makes no model in w4a16_g128"));
  EXPECT_THAT(refusal("npu-rk3588", "Q4_K_M"), HasSubstr("makes no model in Q4_K_M"));
  for (const char* quant : {"w4a16", "w4a16_g128", "int8"})
    EXPECT_EQ(refusal("npu-rk3576", quant), "") << quant;
  EXPECT_EQ(refusal("npu-rk3588", "w8a8_g128"), "");
  EXPECT_EQ(refusal("cpu-rk3588", "w4a16"), "");
}

TEST(Toolkit, HoldsForItsOwnRuntime) {
  EXPECT_NE(refusal("npu-hailo-10h", "Q4_K_M"), "");
  EXPECT_EQ(refusal("npu-hailo-10h", "Q4_K_M", {"runtime.name=mine"}), "");
  EXPECT_EQ(refusal("npu-rk3588", "w4a16", {"toolkit.quants=[w4a16, int8]"}), "");
}

TEST(Toolkit, SaysWhatAShapeIsStoredInWhereTheUserDoesNot) {
  const auto quant = [](const std::string& hardware, const std::string& asked, const std::string& model) {
    StepRequest r = request(asked);
    r.model = model;
    return with_default_quant(r, tree(hardware)).quant;
  };
  EXPECT_EQ(quant("npu-rk3588", "", "smollm2-135m"), "int8");
  EXPECT_EQ(quant("npu-rk3588", "F16", "smollm2-135m"), "F16");
  EXPECT_EQ(quant("npu-rk3588", "", "file.gguf"), "");
  EXPECT_EQ(quant("gpu-orin-nano", "", "smollm2-135m"), "");
}

TEST(Toolkit, IsCheckedWhereItStands) {
  const auto fault = [](const std::vector<std::string>& overrides) {
    try {
      const config::Value t = tree("npu-rk3588", overrides);
      check_hardware(t);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault({}), "");
  EXPECT_THAT(fault({"toolkit.quants=[int88]"}), HasSubstr("'int88' is no quantisation"));
  EXPECT_THAT(fault({"toolkit.default=w4a16"}), HasSubstr("'default'"));
  EXPECT_THAT(fault({"toolkit.quant=[int8]"}), HasSubstr("unknown key 'quant'"));
  EXPECT_THAT(fault({"toolkit=5"}), HasSubstr("'toolkit' must be a map"));
}

}  // namespace
}  // namespace edgenpu::simulate_detail
