// A measurements file from end to end, with the smallest model.
#include "evidence/validate.h"

#include <gmock/gmock.h>

#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::HasSubstr;
using Validate = test::StudyFolder;

ValidateRequest request() {
  ValidateRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.mapping = r.data_dir + "/hw_configs/published/mapping.yaml";
  return r;
}

constexpr const char* kRows =
    "- {id: a, device: Raspberry Pi 5, device_class: cpu, model: SmolLM2-135M, quant: Q8_0, runtime: "
    "llama.cpp "
    "llama-bench, prompt_tokens: 64, gen_tokens: 64, decode_tok_s: 70, prefill_tok_s: 150, "
    "energy_J_per_token: 0.1, power_scope: at the wall}\n"
    "- {id: b, device: Raspberry Pi 5, device_class: cpu, model: SmolLM2-135M, quant: Q8_0, runtime: "
    "llama.cpp "
    "llama-bench, gen_tokens: 64, decode_tok_s: 1000}\n"
    "- {id: c, device: Toaster, model: SmolLM2-135M, quant: Q8_0, decode_tok_s: 1}\n"
    "- {id: d, device: Raspberry Pi 5, device_class: cpu, model: Llama-2-7B, quant: F32, runtime: llama.cpp, "
    "decode_tok_s: 1}\n";

TEST_F(Validate, ComparesEachFigureAndKeepsReasons) {
  const result::Validation v = validate(read_measurements(write("m.yaml", kRows)), request());
  ASSERT_EQ(v.rows.size(), 6u);
  EXPECT_EQ(v.rows[0].metric, "decode");
  ASSERT_TRUE(v.rows[0].simulated);
  EXPECT_LT(*v.rows[0].simulated, *v.rows[0].roof);
  EXPECT_EQ(v.rows[1].metric, "prefill");
  EXPECT_EQ(v.rows[2].metric, "energy");
  EXPECT_TRUE(v.rows[3].impossible());
  EXPECT_EQ(v.rows[4].reason, "no hardware description for this device");
  EXPECT_THAT(v.rows[5].reason, HasSubstr("does not fit the memory"));
  EXPECT_EQ(v.file_rows, 4);
  EXPECT_EQ(v.mapped_rows, 2);
  EXPECT_EQ(v.above_roof, 0);
}

// The wall pays for the board and its converters too; a rail, where the table names none, cannot be compared.
TEST_F(Validate, TakesEnergyInTheScopeOfTheMeasurement) {
  const auto energy_of = [&](const std::string& device, const std::string& scope) {
    const std::string file =
        write("e.yaml", "- {id: e, device: " + device +
                            ", device_class: cpu, model: SmolLM2-135M, quant: Q8_0, runtime: "
                            "llama.cpp, energy_J_per_token: 0.1, power_scope: " +
                            scope + "}\n");
    return validate(read_measurements(file), request()).rows.at(0);
  };
  const auto soc = energy_of("Raspberry Pi 5", "SoC and DRAM"), wall = energy_of("Raspberry Pi 5", "wall");
  ASSERT_TRUE(soc.simulated && wall.simulated);
  EXPECT_GT(*wall.simulated, 1.05 * *soc.simulated);
  EXPECT_THAT(energy_of("RK3588", "wall").reason, HasSubstr("energy table covers soc+dram"));
  EXPECT_THAT(energy_of("Raspberry Pi 5", "unknown").reason, HasSubstr("not stated"));
}

TEST_F(Validate, LeavesOutRowsThatACalibrationDoesNotFit) {
  ValidateRequest r = request();
  r.calibration =
      write("c.yaml",
            "kind: calibrated\nclasses: [{name: k, platform: raspberry, runtime: llama, parameters: "
            "[{path: core.nothing, factor: 2}]}]\n");
  const auto v = validate(read_measurements(write("m.yaml", kRows)), r);
  EXPECT_THAT(v.rows.at(0).reason, HasSubstr("the calibration of k does not fit"));
  EXPECT_THAT(v.rows.at(0).reason, HasSubstr("no number at 'core.nothing'"));
  try {
    require_compared(v, read_measurements(path("m.yaml")));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("m.yaml:1:"));
    EXPECT_THAT(e.what(), HasSubstr("c (decode) cannot be compared: no hardware description"));
  }
}

TEST_F(Validate, SumsUpByHand) {
  std::vector<result::ValidationRow> rows(3);
  const double measured[] = {10, 20, 40}, simulated[] = {11, 16, 48};
  for (std::size_t i = 0; i < 3; ++i) {
    rows[i].id = std::string(1, static_cast<char>('a' + i));
    rows[i].metric = "decode";
    rows[i].device_class = i < 2 ? "cpu" : "gpu";
    rows[i].measured = measured[i];
    rows[i].simulated = simulated[i];
    rows[i].mapped = true;
  }
  const result::ErrorSummary all = summarise(rows)[0];
  EXPECT_NEAR(*all.mean, (0.1 + 0.2 + 0.2) / 3, 1e-12);
  EXPECT_NEAR(*all.median, 0.2, 1e-12);
  EXPECT_NEAR(*all.bias, (0.1 - 0.2 + 0.2) / 3, 1e-12);
  EXPECT_EQ(all.compared, 3);
}

TEST_F(Validate, TakesFinishedStepsFromItsCache) {
  ValidateRequest r = request();
  r.cache = path("cache.tsv");
  const Measurements m = read_measurements(write("m.yaml", kRows));
  const result::Validation first = validate(m, r), second = validate(m, r);
  EXPECT_GT(first.cpu_s, 0);
  EXPECT_EQ(second.cpu_s, 0);
  EXPECT_EQ(*first.rows[0].simulated, *second.rows[0].simulated);
}

}  // namespace
}  // namespace edgenpu::evidence
