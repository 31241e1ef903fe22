// Every share and probability of a transformation at its ends: a step, or a refusal; never a crash.
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "base/error.h"
#include "simulate.h"
#include "support/shipped.h"

namespace edgenpu {
namespace {

result::StepResult run(const std::string& hardware, const std::string& transformation, std::int64_t prompt) {
  const std::string path = ::testing::TempDir() + "extreme.yaml";
  std::ofstream(path) << "name: extreme\ntransformations:\n  - " << transformation << "\n";
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = test::hardware_file(hardware);
  r.model = "smollm2-135m";
  r.quant = "Q8_0";
  r.context = 16;
  r.transform = path;
  if (prompt > 0) r.phase = workload::Phase::prefill;
  r.prompt = prompt;
  return simulate(r);
}

class Transformation : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    OfEveryShare, Transformation,
    ::testing::Values("{{kind: skip_neurons, probability: {}}}", "{{kind: skip_layers, probability: {}}}",
                      "{{kind: drop_tokens, keep: {}}}", "{{kind: prune_rows, share: {}}}",
                      "{{kind: prune_heads, share: {}}}", "{{kind: prune_columns, share: {}}}",
                      "{{kind: sparsity, tensors: \"ffn_*\", density: {}, index_bits: 4}}"));

TEST_P(Transformation, AtItsEndsIsAStepWhoseChecksHoldOrRefused) {
  // The smallest share that is no zero, the largest that is no one, and a prompt whose tokens they may all drop.
  for (const char* value : {"1e-18", "0.9999999999999999"})
    for (const auto& [hardware, prompt] : {std::pair{"npu-raiderchip-asic", 0}, std::pair{"cpu-rk3588", 3}}) {
      const std::string text = fmt::format(fmt::runtime(GetParam()), value);
      try {
        const result::StepResult r = run(hardware, text, prompt);
        EXPECT_TRUE(r.all_checks_ok()) << text << " on " << hardware;
        EXPECT_GT(r.total_s, 0) << text;
      } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("extreme.yaml"), std::string::npos) << e.what();
      }
    }
}

}  // namespace
}  // namespace edgenpu
