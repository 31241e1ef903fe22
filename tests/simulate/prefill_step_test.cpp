// Prefill and batches on the repository's NPU: what they cost beside decoding, and which roof they meet.
#include <cmath>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/json.h"
#include "simulate.h"

namespace edgenpu {
namespace {

StepRequest request(const std::string& model) {
  StepRequest r;
  r.data_dir = EDGENPU_SOURCE_DIR;
  r.hardware = r.data_dir + "/hw_configs/npu/npu-raiderchip-asic.yaml";
  r.model = model;
  return r;
}

result::StepResult prefill(const std::string& model, std::int64_t prompt, std::int64_t context = 0) {
  StepRequest r = request(model);
  r.phase = workload::Phase::prefill;
  r.prompt = prompt;
  r.context = context;
  return simulate(r);
}

result::StepResult decode(const std::string& model, std::int64_t batch, std::int64_t context = 1024) {
  StepRequest r = request(model);
  r.batch = batch;
  r.context = context;
  return simulate(r);
}

void expect_sound(const result::StepResult& r) {
  for (const result::Check& c : r.checks) EXPECT_TRUE(c.ok) << c.name << ": " << c.detail;
  EXPECT_GE(1 + 1e-9, r.roofline.fraction_of_roof);
  const std::string json = report::json(r, {"test", "test"});
  EXPECT_EQ(json.find("nan"), std::string::npos);
  EXPECT_EQ(json.find("inf"), std::string::npos);
}

// Weights, embedding rows and cache: what a step of `batch` requests needs.
std::int64_t needed_llama8b(std::int64_t batch, std::int64_t context) {
  // 4,617,396,224 B of weights, 2304 B of embedding a token, 131,072 B of cache a token.
  return 4'617'396'224 + batch * (2304 + context * 131'072);
}

TEST(PrefillStep, OfLlama31TakesTwiceAsLongForTwiceThePrompt) {
  const result::StepResult half = prefill("llama-3.1-8b", 512), whole = prefill("llama-3.1-8b", 1024);
  for (const result::StepResult* r : {&half, &whole}) {
    expect_sound(*r);
    EXPECT_EQ(r->roofline.roof, "compute");
    EXPECT_GE(*r->metrics.ttft_ms * 1e-3, 512 / r->roofline.compute_tokens_per_s);
  }
  EXPECT_GE(whole.total_s / half.total_s, 1.95);
  EXPECT_LE(whole.total_s / half.total_s, 2.3) << "attention alone grows faster than the prompt";
  EXPECT_EQ(half.metrics.dram_read_B - half.metrics.dram_refetched_B, needed_llama8b(1, 0) + 511 * 2304);
  const result::StepResult one = decode("llama-3.1-8b", 1);
  EXPECT_GE(half.metrics.tokens_per_s, 10 * one.metrics.tokens_per_s);
}

TEST(PrefillStep, OfOneTokenCostsADecodeStep) {
  const result::StepResult p = prefill("llama-3.2-1b", 1), d = decode("llama-3.2-1b", 1, 0);
  expect_sound(p);
  expect_sound(d);
  EXPECT_EQ(p.total_s, d.total_s);
  EXPECT_EQ(p.metrics.dram_read_B, d.metrics.dram_read_B);
}

TEST(PrefillStep, AfterCachedTokensReadsTheirCacheOnce) {
  const result::StepResult with = prefill("llama-3.2-1b", 64, 300), without = prefill("llama-3.2-1b", 64, 0);
  expect_sound(with);
  const auto once = [](const result::StepResult& r) {
    return r.metrics.dram_read_B - r.metrics.dram_refetched_B;
  };
  EXPECT_EQ(once(with) - once(without), 300 * 32'768);
}

TEST(PrefillStep, WithSlidingWindowsAndQuantisedCachesPassesItsChecks) {
  for (const char* kv : {"f16", "q8_0", "q4_0"}) {
    StepRequest r = request("gemma-3-1b");
    r.phase = workload::Phase::prefill;
    r.prompt = 700;  // beyond the window of 512
    r.kv = kv;
    expect_sound(simulate(r));
  }
  expect_sound(decode("gemma-3-1b", 1, 2000));
}

TEST(PrefillStep, OfZeroTokensIsRefused) {
  EXPECT_THROW(prefill("llama-3.2-1b", 0), InputError);
}

TEST(BatchedStep, ReadsWeightsOnceForAllRequestsAndGetsFaster) {
  double before = 0;
  for (const std::int64_t batch : {1, 2, 4, 8, 16}) {
    const result::StepResult r = decode("llama-3.1-8b", batch);
    expect_sound(r);
    EXPECT_EQ(r.metrics.dram_read_B, needed_llama8b(batch, 1024)) << batch;
    EXPECT_EQ(r.metrics.dram_refetched_B, 0) << batch;
    EXPECT_GT(r.metrics.tokens_per_s, before) << batch;
    EXPECT_EQ(r.roofline.roof, "memory");
    before = r.metrics.tokens_per_s;
  }
}

TEST(BatchedStep, OfExpertsReadsTheDistinctOnes) {
  for (const char* model : {"olmoe-1b-7b", "mixtral-8x7b"}) {
    std::int64_t before = 0;
    for (const std::int64_t batch : {1, 4, 16}) {
      StepRequest r = request(model);
      r.batch = batch;
      r.context = 64;
      r.quant = "Q2_K";
      r.overrides = {"memory.channels=16", "memory.capacity=32 GiB"};
      const result::StepResult result = simulate(r);
      expect_sound(result);
      EXPECT_GT(result.metrics.dram_read_B, before) << model << " " << batch;
      before = result.metrics.dram_read_B;
    }
  }
  expect_sound(prefill("olmoe-1b-7b", 100));
}

TEST(FileStep, ReadsWhatTheFilesOwnTensorsSay) {
  // Sum of the tensor table by the rule, in tests/workload/import_test.cpp; here what the DMA moved.
  for (const char* name : {"tiny_llama", "tiny_qwen2", "tiny_moe"}) {
    StepRequest r =
        request(std::string(EDGENPU_SOURCE_DIR) + "/tests/data/tiny_models/" + name + ".Q4_K_M.gguf");
    r.context = 33;
    const result::StepResult result = simulate(r);
    expect_sound(result);
    EXPECT_EQ(result.metrics.dram_read_B, workload::requested_read(trace_of(r)).count()) << name;
    EXPECT_EQ(result.metrics.dram_refetched_B, 0);
  }
}

TEST(BatchedStep, NamesTheBatchAtWhichTheRoofMovesToCompute) {
  const result::StepResult one = decode("llama-3.2-1b", 1, 128);
  ASSERT_TRUE(one.roofline.compute_roof_from_batch);
  const std::int64_t turn = *one.roofline.compute_roof_from_batch;
  ASSERT_GT(turn, 2);
  ASSERT_LT(turn, 128);
  const result::StepResult below = decode("llama-3.2-1b", turn - 1, 128),
                           at = decode("llama-3.2-1b", turn, 128);
  expect_sound(below);
  expect_sound(at);
  EXPECT_EQ(below.roofline.roof, "memory");
  EXPECT_EQ(at.roofline.roof, "compute");
  EXPECT_EQ(at.roofline.compute_roof_from_batch, one.roofline.compute_roof_from_batch);
}

}  // namespace
}  // namespace edgenpu
