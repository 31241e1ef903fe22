#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace {

using edgenpu::test::edgenpu;
using edgenpu::test::Output;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kPlan = "plan --hardware hw_configs/npu/npu-raiderchip-asic.yaml --model llama-3.2-1b ";
const std::string kPrefill = kPlan + "--phase prefill --prompt 512 ";

TEST(PlanCommand, GroupsEqualLayersAndNamesTheNextBest) {
  const Output out = edgenpu(kPrefill);
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, HasSubstr("ffn_down     "));
  EXPECT_THAT(out.text, HasSubstr("0-15"));
  EXPECT_THAT(out.text, HasSubstr("512 x 2048 x 8192"));
  EXPECT_THAT(out.text, HasSubstr("next best"));
  EXPECT_THAT(out.text, HasSubstr("DRAM bytes of the step: "));
}

TEST(PlanCommand, WritesJsonAndCsv) {
  EXPECT_THAT(edgenpu(kPrefill + "--json -").text, StartsWith("{\n  \"schema\": 1,\n  \"plan\": ["));
  EXPECT_THAT(edgenpu(kPlan + "--csv -").text, StartsWith("operator,layers,operators,kind,m,n,k,order,"));
}

TEST(PlanCommand, ExplainsItselfWithAnExample) {
  const Output out = edgenpu("plan --help");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, HasSubstr("Example:\n  " EDGENPU_BINARY " plan --hardware"));
}

TEST(PlanCommand, ShowsWhatIsWanted) {
  const Output out =
      edgenpu(kPrefill + "--set 'lowering.plan={ffn_down: {order: weights, tile_m: 32, tile_n: 64}}'");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, HasSubstr("32 x 64 x 8192"));
}

TEST(PlanCommand, ShowsOperandPairs) {
  const Output out = edgenpu(kPlan + "--csv - --set 'lowering.operands={ffn_up: bf16}'");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(out.text, HasSubstr(",operands,runs_on\n"));
  EXPECT_THAT(out.text, HasSubstr(",bf16,\n"));
  EXPECT_EQ(edgenpu(kPlan + "--set 'lowering.operands={ffn_upp: bf16}'").exit_code, 2);
}

TEST(PlanCommand, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& plan, int code, const std::string& message) {
    const Output out = edgenpu(kPrefill + "--set 'lowering.plan=" + plan + "'");
    EXPECT_EQ(out.exit_code, code) << plan;
    EXPECT_THAT(out.errors, HasSubstr(message)) << plan;
    EXPECT_EQ(out.text, "");
  };
  refused("{ffn_dwon: {order: weights}}", 2, "did you mean 'ffn_down'?");
  refused("{ffn_down: {ordr: weights}}", 2, "did you mean 'order'?");
  refused("{ffn_down: {order: weight}}", 2, "did you mean 'weights'?");
  refused("{ffn_down: {tile_m: 0}}", 2, "tile_m");
  refused("{ffn_down: weights}", 2, "expected a map with order");
  refused("{ffn_down: {order: weights, tile_n: 2048}}", 3, "ffn_down.weight");
  refused("{ffn_down: {tile_k: 100}}", 3, "multiples of 256 only");
}

TEST(PlanCommand, ShowsWhatIsFused) {
  const auto rope = [](const std::string& more) {
    const Output out = edgenpu(kPrefill + more + " --csv -");
    return out.text.substr(out.text.find("\nrope_q,"), 80);
  };
  EXPECT_THAT(rope(""), HasSubstr("passing"));
  EXPECT_THAT(rope("--set lowering.fusion.rope=false"), ::testing::Not(HasSubstr("passing")));
  EXPECT_THAT(rope("--set lowering.fusion=false"), ::testing::Not(HasSubstr("passing")));
  const Output wrong = edgenpu(kPrefill + "--set lowering.fusion.rop=false");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("did you mean 'rope'?"));
}

TEST(PlanCommand, IsForNpusOnly) {
  const Output out = edgenpu("plan --hardware hw_configs/cpu/cpu-rk3588.yaml --model llama-3.2-1b");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.errors, HasSubstr("launches kernels"));
}

}  // namespace
