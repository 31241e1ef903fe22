// The search for a plan: by hand where the best is plain, and its guarantees at random.
#include "lowering/product_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lowering/lower.h"
#include "lowering/sample_npu.h"

namespace edgenpu::lowering {
namespace {

using config::LoopOrder;
using ::testing::HasSubstr;

// One byte a weight and an activation, all of them in DRAM, results too.
Product product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Product p;
  p.name = "p";
  p.rows = m;
  p.n = n;
  p.k = k;
  p.k_unit = 32;
  p.input_row = Bytes(k);
  p.inputs_in_dram = true;
  p.result_bytes = 4;
  p.results_leave = true;
  p.parts.push_back({Bytes(k), Bytes(0), 1, 1024});
  return p;
}

config::Npu free_tiles() {
  config::Npu npu = test::sample_npu();
  npu.tile = Bytes(0);
  return npu;
}

ProductPlan best(const Product& p, std::int64_t room, const config::PlanOverride& wanted = {}) {
  return search_product(p, free_tiles(), Bytes(room), wanted).plan;
}

std::string refusal(const Product& p, std::int64_t room, const config::PlanOverride& wanted) {
  try {
    best(p, room, wanted);
  } catch (const InfeasibleError& e) {
    return e.what();
  }
  return "";
}

TEST(ProductSearch, ReadsEverythingOnceWhereOneOperandFits) {
  // 64 x 1024 activations or 4096 x 1024 weights.
  const ProductPlan plan = best(product(64, 4096, 1024), 256 * 1024);
  EXPECT_EQ(plan.order, LoopOrder::activations);
  EXPECT_EQ(plan.m, 64);
  EXPECT_EQ(plan.cost.once, Bytes(4096 * 1024));
  EXPECT_EQ(plan.cost.again, Bytes(64 * 1024));
}

TEST(ProductSearch, HoldsTheWeightsOfFewOutputs) {
  const ProductPlan plan = best(product(4096, 64, 1024), 256 * 1024);
  EXPECT_EQ(plan.cost.once, Bytes(64 * 1024));
  EXPECT_EQ(plan.cost.again, Bytes(4096 * 1024)) << "each activation once";
}

TEST(ProductSearch, KeepsPartialSumsOfALongReduction) {
  // Neither operand's block of all 65,536 elements gets far: sums of 128 x 128 do.
  const ProductPlan plan = best(product(512, 512, 65'536), 128 * 1024);
  EXPECT_EQ(plan.order, LoopOrder::outputs);
  EXPECT_LT(plan.k, 65'536);
  const std::int64_t columns = (512 + plan.n - 1) / plan.n, rows = (512 + plan.m - 1) / plan.m;
  EXPECT_EQ(plan.cost.dram(), Bytes(512 * 65'536 * (columns + rows)));
  EXPECT_LE(plan.m * plan.n * 4, 128 * 1024);
  EXPECT_EQ(plan.cost.sums, Bytes(2 * (65'536 / plan.k - 1) * 512 * 512 * 4));
}

TEST(ProductSearch, StreamsWholeRowsOfWeightsPastABatchRatherThanCutThemForWiderResults) {
  Product p = product(32, 14'336, 4096);
  p.inputs_in_dram = false;
  const ProductPlan plan = best(p, 512 * 1024);
  EXPECT_EQ(plan.order, LoopOrder::activations);
  EXPECT_EQ(plan.k, 4096);
}

TEST(ProductSearch, ReadsMoreRatherThanHandOnResultsInCrumbs) {
  // 2 x 64 results a command are eight words of the 16 lanes: the search takes none of the kind that
  // reads less.
  const Product p = product(512, 4096, 4096);
  for (const std::int64_t room : {300, 400, 600, 768, 1024, 2048}) {
    const ProductPlan plan = best(p, room * 1024);
    EXPECT_GE(plan.m * plan.width(p), 128 * 16) << room << " KiB";
  }
}

TEST(ProductSearch, CountsResultsThatLeaveTogetherAsNotHidden) {
  // Rows of activations that lie on the chip; as many bytes and cycles whichever stays.
  Product p = product(48, 64, 512);
  p.inputs_in_dram = false;
  ProductPlan held{LoopOrder::activations, 48, 32, 512, 32, config::Split::outputs, {}};
  ProductPlan sums{LoopOrder::outputs, 48, 64, 128, 64, config::Split::outputs, {}};
  EXPECT_EQ(bytes_of(p, held).exposed, Bytes(0));
  EXPECT_EQ(bytes_of(p, sums).exposed, Bytes(48 * 64 * 4));
  p.results_leave = false;
  EXPECT_EQ(bytes_of(p, sums).exposed, Bytes(0));
}

TEST(EqualTiles, AreWholePassesWhereTheLimitAllowsThem) {
  EXPECT_EQ(equal_tiles(1536, 399, 512), 384);  // four of less than a pass
  EXPECT_EQ(equal_tiles(1536, 499, 512), 384);  // not three and a rest
  EXPECT_EQ(equal_tiles(1536, 700, 512), 512);
  EXPECT_EQ(equal_tiles(100, 64, 8), 56);
  EXPECT_EQ(equal_tiles(100, 200, 8), 104);
}

TEST(ProductSearch, NeverReadsMoreInALargerRoomAndFitsIt) {
  std::uint64_t seed = 3;
  const auto random = [&seed](std::int64_t low, std::int64_t high) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<std::int64_t>(seed >> 33) % (high - low + 1);
  };
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    Product p = product(random(1, 600), random(1, 2000), 32 * random(1, 128));
    p.inputs_in_dram = random(0, 3) > 0;
    p.copies = random(1, 3);
    p.extra = random(0, p.copies - 1);
    Bytes before(INT64_MAX);
    for (std::int64_t room = 64 * 1024; room < 4 << 20; room += room / random(2, 12)) {
      const ProductPlan plan = best(p, room);
      EXPECT_LE(plan.cost.dram(), before) << room;
      EXPECT_LE(plan.cost.scratchpad(), Bytes(room));
      before = plan.cost.dram();
    }
  }
}

TEST(ProductSearch, NamesTheBestOfTheOtherOrders) {
  const ProductChoice choice = search_product(product(64, 4096, 1024), free_tiles(), Bytes(256 * 1024));
  ASSERT_TRUE(choice.runner_up);
  EXPECT_NE(choice.runner_up->order, choice.plan.order);
  EXPECT_GE(choice.runner_up->cost.dram(), choice.plan.cost.dram());
}

TEST(ProductSearch, DoesWhatIsWanted) {
  config::PlanOverride wanted;
  wanted.order = LoopOrder::outputs;
  wanted.m = 48;
  wanted.n = 40;
  wanted.k = 96;
  wanted.split = config::Split::rows;
  const ProductPlan plan = best(product(100, 100, 1024), 256 * 1024, wanted);
  EXPECT_EQ(plan.order, LoopOrder::outputs);
  EXPECT_EQ(plan.m, 48);
  EXPECT_EQ(plan.n, 40);
  EXPECT_EQ(plan.k, 96);
  EXPECT_EQ(plan.split, config::Split::rows);
  EXPECT_EQ(plan.tiles(product(100, 100, 1024)), 3 * 3 * 11);
}

TEST(ProductSearch, RefusesAWishThatDoesNotFitAndNamesTheBytes) {
  config::PlanOverride wanted{"p*", {}, LoopOrder::weights, 0, 100, 0, {}};
  // 100 outputs of 1024 B, two chunks of one row, two pieces of 8 results.
  EXPECT_EQ(
      refusal(product(64, 4096, 1024), 100'000, wanted),
      "p: the product of 64 x 4096 x 1024 with p.weight as lowering.plan.'p*' wants it needs 104512 B of "
      "scratchpad for weights, activations and results; there are 100000 B of 262144 B");
  wanted = {"p", {}, {}, 0, 0, 100, {}};
  EXPECT_THAT(refusal(product(64, 4096, 1024), 100'000, wanted), HasSubstr("whole in multiples of 32 only"));
  wanted = {"p", {}, LoopOrder::weights, 0, 0, 64, {}};
  EXPECT_THAT(refusal(product(64, 4096, 1024), 100'000, wanted), HasSubstr("held weights have their whole"));
}

TEST(Wishes, ForAnUnknownOperatorAreRefusedWithTheNearestName) {
  config::Npu npu = test::sample_npu();
  npu.plan = {{"attn_outptu", Position{"npu.yaml", 7, 3}, LoopOrder::weights, 0, 0, 0, {}}};
  try {
    lower(test::sample_trace(1, 10), npu);
    FAIL() << "must be refused";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("npu.yaml:7:3"));
    EXPECT_THAT(e.what(), HasSubstr("'attn_outptu'"));
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'attn_output'?"));
  }
}

TEST(Wishes, AreForTheFirstPatternThatFits) {
  config::Npu npu = test::sample_npu();
  npu.plan = {{"blk.1.attn_*", {}, {}, 0, 8, 0, {}}, {"attn_q", {}, {}, 0, 16, 0, {}}};
  const workload::Trace trace = test::sample_trace(2, 10);
  const Wishes wishes = wishes_of(trace, npu);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const std::string& name = trace.operators[i].name;
    const bool product = std::holds_alternative<workload::MatMul>(trace.operators[i].body);
    const config::PlanOverride* expected = product && name.rfind("blk.1.", 0) == 0 ? &npu.plan[0]
                                           : name == "blk.0.attn_q"                ? &npu.plan[1]
                                                                                   : nullptr;
    EXPECT_EQ(wishes[i], expected) << name;
  }
}

}  // namespace
}  // namespace edgenpu::lowering
