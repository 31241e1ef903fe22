// The decode step of real models on the repository's NPUs: exact bytes, bounds, and what each mechanism
// costs.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "base/error.h"
#include "report/json.h"
#include "simulate.h"

namespace edgenpu {
namespace {

StepRequest request(const std::string& model, std::vector<std::string> overrides = {}) {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = r.data_dir + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  r.model = model;
  r.overrides = std::move(overrides);
  return r;
}

result::StepResult llama8b(std::vector<std::string> overrides = {}, std::int64_t context = 1024) {
  StepRequest r = request("llama-3.1-8b", std::move(overrides));
  r.context = context;
  return simulate(r);
}

double loss(const result::StepResult& r, activity::Loss l) {
  return r.losses_s[static_cast<std::size_t>(l)];
}

std::string failed_checks(const result::StepResult& r) {
  std::string names;
  for (const result::Check& c : r.checks)
    if (!c.ok) names += c.name + ": " + c.detail + "\n";
  return names;
}

TEST(DecodeStep, ReadsEachWeightOneEmbeddingRowAndTheCacheToTheByte) {
  const result::StepResult r = llama8b();
  EXPECT_EQ(r.metrics.dram_read_B, 4'751'616'256);
  EXPECT_EQ(r.metrics.dram_write_B, 131'072);
  EXPECT_EQ(r.metrics.dram_refetched_B, 0);
  EXPECT_EQ(failed_checks(r), "");
}

TEST(DecodeStep, StaysBelowTheRoofOfTheMemory) {
  const result::StepResult r = llama8b();
  EXPECT_LE(r.metrics.tokens_per_s, 21.5505);
  EXPECT_GE(r.metrics.tokens_per_s, 20.5) << "the hardware is meant to be bound by its memory";
  EXPECT_NEAR(*r.roofline.memory_tokens_per_s, 102.4e9 / (4'751'616'256.0 + 131'072), 1e-9);
}

TEST(DecodeStep, WithAllBankRefreshStaysBelowWhatRefreshLeaves) {
  const result::StepResult r = llama8b({"memory.refresh=ab"});
  EXPECT_LE(r.metrics.tokens_per_s, 20.01);
  EXPECT_GE(r.metrics.tokens_per_s, 19.0);
  EXPECT_GE(loss(r, activity::Loss::refresh), 0.07 * r.total_s);
}

TEST(DecodeStep, WithoutRefreshAndRowCostComesCloseToThePeak) {
  const result::StepResult r = llama8b({"memory.refresh=none", "memory.row_cost=false"});
  EXPECT_GE(r.metrics.tokens_per_s, 21.0);
  EXPECT_EQ(loss(r, activity::Loss::refresh), 0);
  EXPECT_EQ(loss(r, activity::Loss::row_miss), 0);
}

TEST(DecodeStep, WithoutPrefetchIsSlowerAndTheLedgerSaysWhereTheTimeWent) {
  const result::StepResult with = llama8b(), without = llama8b({"lowering.prefetch=false"});
  const double slower = without.total_s - with.total_s;
  EXPECT_GT(slower, 0.01 * with.total_s);
  EXPECT_EQ(loss(with, activity::Loss::dependency), 0);
  EXPECT_GT(loss(without, activity::Loss::dependency), 0.75 * slower);
}

TEST(DecodeStep, SlowsDownWithContextByTheTimeOfTheCachesBytes) {
  const double t1 = llama8b({}, 1).total_s, t1024 = llama8b({}, 1024).total_s,
               t8192 = llama8b({}, 8192).total_s;
  const double per_token = 131'072 / 102.4e9;
  EXPECT_GE(t1024 - t1, 1023 * per_token);
  EXPECT_LE(t1024 - t1, 1023 * per_token * 1.08);
  EXPECT_GE(t8192 - t1024, 7168 * per_token);
  EXPECT_LE(t8192 - t1024, 7168 * per_token * 1.08);
}

TEST(DecodeStep, OnTwiceTheChannelsIsNearlyTwiceAsFast) {
  const double speedup = llama8b().total_s / llama8b({"memory.channels=16"}).total_s;
  EXPECT_GT(speedup, 1.7);
  EXPECT_LT(speedup, 2.0);
}

TEST(DecodeStep, OnIdealMemoryWaitsForNoMemory) {
  const result::StepResult r = llama8b({"memory.ideal=true"});
  for (const activity::Loss l : {activity::Loss::transfer, activity::Loss::refresh, activity::Loss::row_miss,
                                 activity::Loss::turnaround, activity::Loss::queueing})
    EXPECT_EQ(loss(r, l), 0);
  EXPECT_EQ(failed_checks(r), "");
  // Engines and decoders take at least twice the memory's weight rate.
  EXPECT_LT(r.total_s, llama8b().total_s / 2);
}

TEST(DecodeStep, OfTheFpgaLeavesItsEnginesAndDecodersTwiceTheMemorysRate) {
  StepRequest r = request("llama-3.1-8b");
  r.hardware = r.data_dir + "/hw_configs/npu/npu-raiderchip-fpga.yaml";
  const result::StepResult real = simulate(r);
  EXPECT_EQ(failed_checks(real), "");
  r.overrides = {"memory.ideal=true"};
  EXPECT_LT(simulate(r).total_s, real.total_s / 2);
}

TEST(DecodeStep, PassesEveryCheckOnEveryModelOfTheFirstTable) {
  for (const char* model : {"llama-3.2-1b", "llama-3.2-3b", "qwen3-4b"}) {
    for (const char* quant : {"Q4_K_M", "Q8_0"}) {
      StepRequest r = request(model);
      r.quant = quant;
      const result::StepResult result = simulate(r);
      EXPECT_EQ(failed_checks(result), "") << model << " " << quant;
      EXPECT_LE(result.roofline.fraction_of_roof, 1.0);
    }
  }
}

TEST(DecodeStep, AddsUpOverOperatorsInTimeBytesProductsAndLosses) {
  const result::StepResult r = llama8b();
  double time = 0;
  std::int64_t bytes = 0, macs = 0;
  result::Losses losses{};
  for (const result::OperatorResult& op : r.operators) {
    time += op.time_s;
    bytes += op.dram_B;
    macs += op.macs;
    for (std::size_t i = 0; i < losses.size(); ++i) losses[i] += op.losses_s[i];
  }
  EXPECT_NEAR(time, r.total_s, 1e-9 * r.total_s);
  EXPECT_EQ(bytes, r.metrics.dram_read_B + r.metrics.dram_write_B);
  EXPECT_EQ(macs, 7'773'356'032);
  for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], r.losses_s[i], 1e-9 * r.total_s);
  EXPECT_NEAR(std::accumulate(r.losses_s.begin(), r.losses_s.end(), 0.0), r.total_s, 1e-9 * r.total_s);
}

TEST(DecodeStep, GivesTheSameBytesOutForTheSameInputs) {
  const auto text = [] {
    result::StepResult r = simulate(request("llama-3.2-1b"));
    r.simulation = {};
    return report::json(r, {"0", "0"});
  };
  EXPECT_EQ(text(), text());
}

TEST(DecodeStep, ReplayedFromATraceFileGivesTheSameResult) {
  result::StepResult generated = simulate(request("llama-3.2-1b"));
  StepRequest replay = request("");
  replay.trace_file = replay.data_dir + "/traces/llama-3.2-1b-q4_k_m-decode-1024.yaml";
  result::StepResult replayed = simulate(replay);
  EXPECT_EQ(replayed.inputs.trace_hash, generated.inputs.trace_hash);
  replayed.inputs.trace_file = "";
  generated.simulation = replayed.simulation = {};
  EXPECT_EQ(report::json(replayed, {"0", "0"}), report::json(generated, {"0", "0"}));
}

TEST(DecodeStep, RefusesAModelLargerThanTheMemoryWithTheBytes) {
  try {
    llama8b({"memory.capacity=4 GiB"});
    FAIL();
  } catch (const InfeasibleError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("needs 5584118016 B"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("there are 4294967296 B"));
  }
}

TEST(DecodeStep, RefusesAContextWhoseCacheDoesNotFit) {
  EXPECT_NO_THROW(llama8b({}, 80'000));
  EXPECT_THROW(llama8b({}, 131'072), InfeasibleError);
}

TEST(DmaWindow, ThatReachesFewerChannelsThanThereAreIsSaidAndCosts) {
  // Eight channels of 8 KiB: 64 requests of 256 B are two of them, 256 are all.
  const result::StepResult all = llama8b({"dma.outstanding=256"}), two = llama8b({"dma.outstanding=64"});
  EXPECT_THAT(all.notes, ::testing::Not(::testing::Contains(::testing::HasSubstr("dma.outstanding"))));
  EXPECT_THAT(two.notes,
              ::testing::Contains(::testing::HasSubstr("16384 B in flight: 2 of 8 memory channels")));
  EXPECT_GT(two.total_s, all.total_s * 1.5);
}

}  // namespace
}  // namespace edgenpu
