// A platform table of the smallest model.
#include "evidence/platform_table.h"

#include <gmock/gmock.h>
#include <iterator>
#include <regex>

#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::HasSubstr;
using PlatformTable = test::StudyFolder;

const std::string kConfigs = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/";

std::string list_of(const std::string& models, const std::string& extra = "") {
  return "kind: platform_list\nsource: test\ncontext: 64\nmodels: [" + models + "]\npublished: " + kConfigs +
         "published/platform-table.yaml\nrows:\n  - {platform: Pi, hardware: " + kConfigs +
         "cpu/cpu-raspberry-pi-5.yaml, quant: Q8_0" + extra + "}\n";
}

constexpr const char* kRows =
    "- {id: here, device: Raspberry Pi 5, device_class: cpu, model: SmolLM2-135M, quant: Q4_0, runtime: "
    "llama.cpp, decode_tok_s: 70}\n"
    "- {id: elsewhere, device: Raspberry Pi 4, device_class: cpu, model: SmolLM2-135M, quant: Q8_0, runtime: "
    "llama.cpp, decode_tok_s: 20}\n"
    "- {id: other-model, device: Raspberry Pi 5, device_class: cpu, model: Qwen2.5-0.5B, quant: Q8_0, "
    "runtime: llama.cpp, decode_tok_s: 30}\n";

PlatformTableRequest request(const std::string& list) {
  PlatformTableRequest r;
  r.list = list;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.mapping = kConfigs + "published/mapping.yaml";
  return r;
}

TEST_F(PlatformTable, ShowsRatesMeasuredOnTheSameHardwareWithTheSameModelOnly) {
  const Measurements measured = read_measurements(write("m.yaml", kRows));
  const auto table = platform_table(measured, request(write("list.yaml", list_of("smollm2-135m"))));
  ASSERT_EQ(table.rows.size(), 1u);
  const result::PlatformCell& cell = table.rows[0].cells.at(0);
  const result::PlatformFigures& f = cell.figures.value();
  EXPECT_GT(f.tokens_per_s, 0);
  EXPECT_LT(f.tokens_per_s, f.roof_tokens_per_s);
  EXPECT_NEAR(f.edp_J_s, f.J_per_token / f.tokens_per_s, 1e-9 * f.edp_J_s);
  ASSERT_EQ(cell.measured.size(), 1u);
  EXPECT_EQ(cell.measured[0].id, "here");
  EXPECT_EQ(cell.article_tokens_per_s, 0);
}

TEST_F(PlatformTable, KeepsTheReasonOfAModelThatDoesNotFit) {
  const auto table = platform_table(read_measurements(write("m.yaml", kRows)),
                                    request(write("list.yaml", list_of("llama-3.1-70b"))));
  const auto& figures = table.rows[0].cells.at(0).figures;
  EXPECT_EQ(figures.why().kind, Failure::infeasible);
  EXPECT_THAT(figures.reason(), HasSubstr("infeasible: llama-3.1-70b "));
  EXPECT_THAT(figures.reason(), HasSubstr("does not fit the memory"));
}

// The AX650N stood in the list with a format that its runtime has no kernels for, and read "infeasible".
TEST_F(PlatformTable, HasARateForASmallModelOnEveryShippedPlatform) {
  const std::string shipped = kConfigs + "published/platform-list.yaml";
  std::ifstream file(shipped);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text = std::regex_replace(text, std::regex("models: .*"), "models: [smollm2-135m]");
  text = std::regex_replace(text, std::regex("context: .*"), "context: 16");
  text = std::regex_replace(text, std::regex("published: "), "published: " + kConfigs + "published/");
  const auto table =
      platform_table(read_measurements(write("m.yaml", kRows)), request(write("list.yaml", text)));
  EXPECT_GE(table.rows.size(), 15u);
  for (const auto& row : table.rows) {
    ASSERT_EQ(row.cells.at(0).figures.reason(), "") << row.platform;
    EXPECT_GT(row.cells.at(0).figures->tokens_per_s, 0) << row.platform;
  }
}

TEST_F(PlatformTable, RefusesUnknownKeys) {
  const Measurements measured = read_measurements(write("m.yaml", kRows));
  try {
    platform_table(measured, request(write("list.yaml", list_of("smollm2-135m", ", quantt: F16"))));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("quantt"));
  }
}

}  // namespace
}  // namespace edgenpu::evidence
