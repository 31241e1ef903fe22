#include "workload/generate.h"

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <set>

#include "support.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<std::string> needs(const Trace& trace, const std::string& name) {
  std::vector<std::string> names;
  for (const int i : op(trace, name).needs) names.push_back(trace.operators.at(i).name);
  return names;
}

TEST(DecodeTrace, ReadsTheBytesOfLlama31At1024TokensExactly) {
  EXPECT_EQ(requested_read(generate_decode(model("llama-3.1-8b"), "Q4_K_M", 1024)), Bytes(4'751'616'256));
}

struct Traffic {
  Bytes weights{0}, embedding{0}, kv_read{0}, kv_written{0};
};

Traffic traffic(const Trace& trace) {
  Traffic t;
  for (const Operator& o : trace.operators) {
    (std::holds_alternative<Embed>(o.body) ? t.embedding : t.weights) += weight_bytes(o.body);
    t.kv_read += kv_read_bytes(o.body);
    t.kv_written += kv_write_bytes(o.body);
  }
  return t;
}

TEST(DecodeTrace, MovesTheReferenceBytesOfEveryModel) {
  const std::vector<Row> rows = table("decode_traffic.csv");
  EXPECT_EQ(rows.size(), 31u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("model"));
    const Model m = model(row.at("model"));
    const Trace trace = generate_decode(m, "Q4_K_M", 1024);
    const Traffic t = traffic(trace);
    EXPECT_EQ(trace.resident_weights.count(), integer(row, "q4km_tensor_bytes"));
    EXPECT_EQ(t.weights.count(), integer(row, "q4km_weight_bytes_read_per_token"));
    EXPECT_EQ(t.embedding.count(), integer(row, "embedding_row_bytes"));
    // The table takes a window as so many cached rows; the new token is the last of them.
    std::int64_t own = 0;
    for (std::int64_t i = 0; i < m.layers; ++i)
      if (m.window_of(i) > 0 && m.window_of(i) <= 1024) own += 2 * m.kv_heads * m.head_dim * 2;
    EXPECT_EQ(t.kv_read.count(), integer(row, "kv_f16_bytes_read_ctx1024") - own);
    EXPECT_EQ(t.kv_written.count(), integer(row, "kv_f16_bytes_written_per_token"));
    EXPECT_EQ(requested_read(trace).count(), integer(row, "total_read_per_token") - own);
    EXPECT_EQ(requested_write(trace), t.kv_written);
    EXPECT_EQ(traffic(generate_decode(m, "Q4_K_S", 0)).weights.count(),
              integer(row, "q4ks_weight_bytes_per_token"));
    EXPECT_EQ(traffic(generate_decode(m, "Q8_0", 0)).weights.count(),
              integer(row, "q8_0_weight_bytes_per_token"));
  }
}

// Shapes only, without the list of operators: matrices of a layer, both products of attention, the head.
std::int64_t closed_form_macs(const Model& m, std::int64_t rows, std::int64_t heads_rows,
                              const std::function<std::int64_t(std::int64_t window)>& keys) {
  const std::int64_t dense = (m.gated_ffn ? 3 : 2) * m.ffn;
  const std::int64_t mixture = m.moe ? 3 * (m.moe->active * m.moe->expert_ffn + m.moe->shared_ffn) +
                                           m.moe->experts + m.moe->shared_gate
                                     : 0;
  std::int64_t sum = heads_rows * m.vocab * m.hidden;
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const std::int64_t q = m.heads * m.head_dim_of(i), kv = m.kv_heads_of(i) * m.head_dim_of(i);
    const std::int64_t ffn = m.has_experts(i) ? mixture : dense;
    if (m.attends(i))
      sum += rows * m.hidden * (2 * q + (m.keys_are_values(i) ? 1 : 2) * kv + ffn) +
             2 * q * keys(m.window_of(i));
    else  // a short convolution sees itself and one row
      sum += rows * m.hidden * (4 * m.hidden + ffn) + 2 * m.hidden * keys(2);
  }
  return sum;
}

TEST(DecodeTrace, HasTheProductsOfItsShapes) {
  for (const std::string& name : model_names(kDataDir)) {
    for (const std::int64_t context : {0, 1, 511, 512, 5000}) {
      const Model m = model(name);
      const auto keys = [&](std::int64_t w) { return w == 0 ? context + 1 : std::min(context + 1, w); };
      EXPECT_EQ(total_macs(generate_decode(m, "Q4_K_M", context)).count(), closed_form_macs(m, 1, 1, keys))
          << name << " " << context;
    }
  }
}

TEST(PrefillTrace, HasTheProductsOfItsShapesWithoutTheMaskedOnes) {
  for (const std::string& name : model_names(kDataDir)) {
    for (const auto& [prompt, context] : {std::pair<int, int>{1, 0}, {600, 0}, {300, 400}, {5, 5000}}) {
      const Model m = model(name);
      const auto keys = [p = prompt, c = context](std::int64_t w) {
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < p; ++i) sum += w == 0 ? c + i + 1 : std::min<std::int64_t>(c + i + 1, w);
        return sum;
      };
      EXPECT_EQ(total_macs(generate_prefill(m, "Q4_K_M", prompt, context)).count(),
                closed_form_macs(m, prompt, 1, keys))
          << name << " " << prompt << " after " << context;
    }
  }
}

TEST(DecodeTrace, ReadsNoCacheAtContextZero) {
  const Trace trace = generate_decode(model("llama-3.2-1b"), "Q4_K_M", 0);
  EXPECT_EQ(traffic(trace).kv_read, Bytes(0));
  EXPECT_EQ(traffic(trace).kv_written, Bytes(32768));
  EXPECT_EQ(trace.resident_kv, Bytes(32768));
}

// The new token is the last one of its window.
TEST(DecodeTrace, ReadsAtMostTheWindowLessTheNewTokenInLocalLayers) {
  const Trace trace = generate_decode(model("gemma-3-1b"), "Q4_K_M", 8000);
  EXPECT_EQ(std::get<Attention>(op(trace, "blk.4.attention").body).cached, 511);
  EXPECT_EQ(std::get<Attention>(op(trace, "blk.5.attention").body).cached, 8000);
  EXPECT_EQ(std::get<Attention>(op(trace, "blk.5.attention").body).window, 0);
  // 22 local layers, 4 global ones; a token's K and V of a layer take 1024 B.
  EXPECT_EQ(trace.resident_kv, Bytes((22 * 512 + 4 * 8001) * 1024));
}

TEST(DecodeTrace, ReadsWeightsOnceAndACachePerRequestInABatch) {
  const Model m = model("llama-3.1-8b");
  const Trace one = generate_decode(m, "Q4_K_M", 1024), four = generate_decode(m, "Q4_K_M", 1024, 4);
  EXPECT_EQ(traffic(four).weights, traffic(one).weights);
  EXPECT_EQ(traffic(four).embedding, traffic(one).embedding * 4);
  EXPECT_EQ(traffic(four).kv_read, traffic(one).kv_read * 4);
  EXPECT_EQ(traffic(four).kv_written, traffic(one).kv_written * 4);
  EXPECT_EQ(four.resident_kv, one.resident_kv * 4);
  EXPECT_EQ(four.resident_weights, one.resident_weights);
  EXPECT_EQ(total_macs(four), total_macs(one) * 4);
  EXPECT_EQ(std::get<Sample>(op(four, "sample").body).m, 4);
}

TEST(DecodeTrace, ShrinksTheCacheWithItsFormat) {
  const Model m = model("llama-3.1-8b");
  const auto kv = [&](Format f) { return traffic(generate_decode(m, "Q4_K_M", 1024, 1, f)).kv_read.count(); };
  EXPECT_EQ(kv(Format::Q8_0), kv(Format::F16) * 34 / 64);
  EXPECT_EQ(kv(Format::Q4_0), kv(Format::F16) * 18 / 64);
}

TEST(Cache, TakesTheBytesOfItsFormatAndShape) {
  const Model eight = model("llama-3.1-8b");
  const Trace q8 = generate_decode(eight, "Q4_K_M", 100, 1, Format::Q8_0);
  EXPECT_EQ(requested_write(q8), Bytes(69'632)) << "a token's K and V in all layers";
  const Model qwen = model("qwen3-4b");  // 36 layers of 8 KV heads of 128
  EXPECT_EQ(traffic(generate_decode(qwen, "Q4_K_M", 32'768)).kv_read, Bytes(4'831'838'208));
}

TEST(PrefillTrace, ReadsWeightsOnceAndTakesTheHeadForTheLastToken) {
  const Model m = model("llama-3.1-8b");
  const Trace trace = generate_prefill(m, "Q4_K_M", 512);
  EXPECT_EQ(trace.tokens, 512);
  EXPECT_EQ(traffic(trace).weights, traffic(generate_decode(m, "Q4_K_M", 0)).weights);
  EXPECT_EQ(traffic(trace).kv_read, Bytes(0));
  EXPECT_EQ(traffic(trace).kv_written, Bytes(512 * 131072));
  EXPECT_EQ(std::get<MatMul>(op(trace, "blk.3.attn_q").body).m, 512);
  EXPECT_EQ(std::get<MatMul>(op(trace, "output").body).m, 1);
}

TEST(PrefillTrace, OfOneTokenIsADecodeStep) {
  const Model m = model("qwen3-30b-a3b");
  const Trace prefill = generate_prefill(m, "Q4_K_M", 1, 77), decode = generate_decode(m, "Q4_K_M", 77);
  EXPECT_EQ(requested_read(prefill), requested_read(decode));
  EXPECT_EQ(total_macs(prefill), total_macs(decode));
}

TEST(DecodeTrace, NeedsWhatItReads) {
  const Trace t = generate_decode(model("llama-3.2-1b"), "Q4_K_M", 10);
  EXPECT_THAT(needs(t, "blk.1.attn_norm"), UnorderedElementsAre("blk.0.ffn_add"));
  EXPECT_THAT(needs(t, "blk.0.attn_norm"), UnorderedElementsAre("token_embd"));
  for (const char* name : {"blk.0.attn_q", "blk.0.attn_k", "blk.0.attn_v"})
    EXPECT_THAT(needs(t, name), UnorderedElementsAre("blk.0.attn_norm"));
  EXPECT_THAT(needs(t, "blk.0.rope_q"), UnorderedElementsAre("blk.0.attn_q"));
  EXPECT_THAT(needs(t, "blk.0.kv_write"), UnorderedElementsAre("blk.0.rope_k", "blk.0.attn_v"));
  EXPECT_THAT(needs(t, "blk.0.attention"),
              UnorderedElementsAre("blk.0.rope_q", "blk.0.rope_k", "blk.0.attn_v"));
  EXPECT_THAT(needs(t, "blk.0.attn_output"), UnorderedElementsAre("blk.0.attention"));
  EXPECT_THAT(needs(t, "blk.0.attn_add"), UnorderedElementsAre("blk.0.attn_output", "token_embd"));
  EXPECT_THAT(needs(t, "blk.0.ffn_act"), UnorderedElementsAre("blk.0.ffn_gate", "blk.0.ffn_up"));
  EXPECT_THAT(needs(t, "blk.0.ffn_add"), UnorderedElementsAre("blk.0.ffn_down", "blk.0.attn_add"));
  EXPECT_THAT(needs(t, "output"), UnorderedElementsAre("output_norm"));
}

TEST(DecodeTrace, NormalisesQueriesAndKeysBeforeTheyTurn) {
  const Trace t = generate_decode(model("qwen3-4b"), "Q4_K_M", 10);
  EXPECT_THAT(needs(t, "blk.0.rope_k"), UnorderedElementsAre("blk.0.attn_k_norm"));
  const auto& norm = std::get<Norm>(op(t, "blk.0.attn_k_norm").body);
  EXPECT_EQ(norm.heads, 8);
  EXPECT_EQ(norm.width, 128);
  EXPECT_EQ(norm.weight_bytes, Bytes(512));
  const Trace wide = generate_decode(model("olmoe-1b-7b"), "Q4_K_M", 10);
  EXPECT_EQ(std::get<Norm>(op(wide, "blk.0.attn_q_norm").body).heads, 1);
  EXPECT_EQ(std::get<Norm>(op(wide, "blk.0.attn_q_norm").body).width, 2048);
}

TEST(DecodeTrace, RunsAttentionAndFeedForwardOfPhi2OnTheSameNorm) {
  const Trace t = generate_decode(model("phi-2"), "Q4_K_M", 10);
  EXPECT_THAT(needs(t, "blk.7.attn_qkv"), UnorderedElementsAre("blk.7.attn_norm"));
  EXPECT_THAT(needs(t, "blk.7.ffn_up"), UnorderedElementsAre("blk.7.attn_norm"));
  EXPECT_THAT(needs(t, "blk.7.attn_ffn_add"), UnorderedElementsAre("blk.7.attn_output", "blk.7.ffn_down"));
  EXPECT_THAT(needs(t, "blk.7.ffn_add"), UnorderedElementsAre("blk.7.attn_ffn_add", "blk.6.ffn_add"));
  EXPECT_EQ(std::get<Rope>(op(t, "blk.7.rope_q").body).head_dim, 32);
  EXPECT_EQ(std::get<MatMul>(op(t, "blk.7.attn_qkv").body).bias_bytes, Bytes(3 * 2560 * 4));
  EXPECT_FALSE(std::get<Activation>(op(t, "blk.7.ffn_act").body).gated);
}

TEST(DecodeTrace, NormalisesGemmasResultsBeforeTheyAreAdded) {
  const Trace t = generate_decode(model("gemma-2-2b"), "Q4_K_M", 10);
  EXPECT_THAT(needs(t, "blk.0.attn_add"), UnorderedElementsAre("blk.0.post_attention_norm", "token_embd"));
  EXPECT_THAT(needs(t, "blk.0.ffn_add"), UnorderedElementsAre("blk.0.post_ffw_norm", "blk.0.attn_add"));
}

TEST(DecodeTrace, ReadsTheChosenExpertsAfterTheyAreChosen) {
  const Trace t = generate_decode(model("mixtral-8x7b"), "Q4_K_M", 10);
  EXPECT_THAT(needs(t, "blk.0.ffn_up_exps"), UnorderedElementsAre("blk.0.ffn_norm", "blk.0.route"));
  EXPECT_EQ(std::get<MatMul>(op(t, "blk.0.ffn_up_exps").body).copies, 2);
  EXPECT_THAT(needs(t, "blk.0.ffn_moe_sum"), UnorderedElementsAre("blk.0.ffn_down_exps", "blk.0.route"));
}

TEST(DecodeTrace, LosesNoResult) {
  for (const std::string& name : model_names(kDataDir)) {
    const Trace t = generate_decode(model(name), "Q4_K_M", 100);
    std::set<int> used;
    std::set<std::string> names;
    for (std::size_t i = 0; i < t.operators.size(); ++i) {
      EXPECT_TRUE(names.insert(t.operators[i].name).second) << t.operators[i].name;
      for (const int n : t.operators[i].needs) {
        EXPECT_LT(n, static_cast<int>(i));
        used.insert(n);
      }
    }
    for (std::size_t i = 0; i < t.operators.size(); ++i) {
      const std::string kind = kind_name(t.operators[i].body);
      EXPECT_EQ(used.count(static_cast<int>(i)), kind == "sample" || kind == "kv_write" ? 0u : 1u)
          << name << " " << t.operators[i].name;
    }
  }
}

}  // namespace
}  // namespace edgenpu::workload
