// What no step can be made of, and how many experts one reads.
#include <gmock/gmock.h>
#include <set>

#include "support.h"
#include "workload/generate.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;

TEST(Generate, RefusesCountsOutOfRange) {
  const Model m = model("llama-3.2-1b");
  EXPECT_THAT(message_of<InputError>([&] { generate_decode(m, "Q4_K_M", -1); }),
              HasSubstr("--context: -1 is out of range; allowed: 0 to 4194304"));
  EXPECT_THAT(message_of<InputError>([&] { generate_decode(m, "Q4_K_M", 0, 0); }),
              HasSubstr("--batch: 0 is out of range; allowed: 1 to 65536"));
  EXPECT_THAT(message_of<InputError>([&] { generate_prefill(m, "Q4_K_M", 0); }),
              HasSubstr("--prompt: 0 is out"));
  EXPECT_THAT(message_of<InputError>([&] { generate_prefill(m, "Q4_K_M", 1, -5); }),
              HasSubstr("--context: -5"));
}

TEST(Generate, RefusesAStepWhoseCountsLeave64Bits) {
  Model m = model("llama-3.2-1b");
  m.layers = m.heads = m.kv_heads = m.head_dim = 512;
  EXPECT_THAT(message_of<InputError>([&] { generate_decode(m, "F16", 4'194'304, 65536); }),
              HasSubstr("64 bits"));
  EXPECT_THAT(message_of<InputError>([&] { generate_prefill(m, "F16", 4'194'304); }), HasSubstr("64 bits"));
}

TEST(Generate, RefusesAnUnknownQuantisation) {
  EXPECT_THAT(message_of<InputError>([] { generate_decode(model("phi-2"), "q4_k_r", 0); }),
              HasSubstr("unknown quantisation 'q4_k_r'"));
}

// Tokens choose their experts one after the other; what the closed form expects, counted.
double sampled_distinct(std::int64_t experts, std::int64_t active, std::int64_t tokens, int rounds) {
  std::uint64_t seed = 42;
  std::int64_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    std::set<std::int64_t> chosen;
    for (std::int64_t t = 0; t < tokens; ++t) {
      std::set<std::int64_t> mine;
      while (static_cast<std::int64_t>(mine.size()) < active) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        mine.insert(static_cast<std::int64_t>((seed >> 33) % static_cast<std::uint64_t>(experts)));
      }
      chosen.insert(mine.begin(), mine.end());
    }
    sum += static_cast<std::int64_t>(chosen.size());
  }
  return static_cast<double>(sum) / rounds;
}

TEST(Experts, AreAsManyAsASampleOfTheirChoicesFinds) {
  for (const char* name : {"mixtral-8x7b", "olmoe-1b-7b"}) {
    const Model m = model(name);
    for (const std::int64_t batch : {1, 2, 4, 8, 16, 64}) {
      const double sampled = sampled_distinct(m.moe->experts, m.moe->active, batch, 20'000);
      EXPECT_NEAR(distinct_experts(m.moe->experts, m.moe->active, batch), sampled, 0.08)
          << name << " " << batch;
      const Trace t = generate_decode(m, "Q4_K_M", 0, batch);
      const auto& up = std::get<MatMul>(op(t, "blk.3.ffn_up_exps").body);
      EXPECT_NEAR(static_cast<double>(up.copies), sampled, 0.6) << name << " " << batch;
      EXPECT_EQ(up.rows(), batch * m.moe->active) << "every token's choice is computed";
    }
  }
}

TEST(Experts, OfALongPromptAreAllRead) {
  const Model m = model("mixtral-8x7b");
  const Trace t = generate_prefill(m, "Q4_K_M", 512);
  EXPECT_EQ(std::get<MatMul>(op(t, "blk.0.ffn_down_exps").body).copies, 8);
  EXPECT_EQ(std::get<MatMul>(op(t, "blk.0.ffn_down_exps").body).m, 128);
  const Bytes tensors = t.resident_weights;
  EXPECT_LT(requested_read(t), tensors);
  EXPECT_GT(requested_read(t), tensors - Bytes(100'000'000)) << "all but the embedding table";
}

TEST(Generate, RefusesACacheFormatWhoseBlocksDoNotFitAHead) {
  EXPECT_THAT(message_of<InputError>([] { generate_decode(model("phi-2"), "Q4_K_M", 0, 1, Format::Q8_0); }),
              HasSubstr("Q8_0 has blocks of 32 elements, which do not fit the heads of Phi-2 (80)"));
}

TEST(Generate, KnowsTheCacheFormatsOfTheCommandLine) {
  EXPECT_EQ(kv_format_by_name("q8_0"), Format::Q8_0);
  EXPECT_THAT(message_of<InputError>([] { kv_format_by_name("q80"); }),
              HasSubstr("--kv: unknown KV format 'q80'; allowed: f16, q8_0, q4_0; did you mean 'q8_0'?"));
}

}  // namespace
}  // namespace edgenpu::workload
