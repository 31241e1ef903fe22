#include "workload/transform.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/value.h"
#include "support.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;

StoredModel transformed(const std::string& list, const std::string& name = "llama-3.1-8b",
                        const std::string& quant = "Q4_K_M") {
  return transform(store(model(name), quant),
                   config::parse_text("name: test\ntransformations:\n" + list, "t.yaml"));
}

std::string refusal(const std::string& list, const std::string& name = "llama-3.1-8b") {
  return message_of<InputError>([&] { transformed(list, name); });
}

struct Totals {
  std::int64_t read, macs, weights, kv;
};

Totals totals(const StoredModel& m, std::int64_t context = 1024, std::int64_t batch = 1) {
  const Trace t = generate_decode(m, context, batch);
  return {requested_read(t).count(), total_macs(t).count(), t.resident_weights.count(),
          t.resident_kv.count()};
}

Totals plain(const std::string& quant = "Q4_K_M") {
  return totals(store(model("llama-3.1-8b"), quant));
}

// Llama-3.1-8B: 32 layers, 4096 wide, 14336 neurons, 32 heads of 128 on 8 KV heads, vocabulary 128256.
constexpr std::int64_t kWide = 4096, kFfn = 14336, kLayers = 32;

TEST(Transform, PrecisionChangesTheBytesOfTheTensorsItNames) {
  const Totals before = plain("Q8_0"),
               after = totals(transformed(
                   "  - {kind: precision, tensors: \"ffn_down\", layers: \"0-1,31\", format: F16}\n",
                   "llama-3.1-8b", "Q8_0"));
  const std::int64_t more = 3 * kWide * kFfn * (2 * 32 - 34) / 32;
  EXPECT_EQ(after.read - before.read, more);
  EXPECT_EQ(after.weights - before.weights, more);
  EXPECT_EQ(after.macs, before.macs);
}

TEST(Transform, PruningRowsTakesNeuronsFromAllThreeMatrices) {
  const Totals before = plain("F16"),
               after = totals(transformed("  - {kind: prune_rows, share: 0.25}\n", "llama-3.1-8b", "F16"));
  const std::int64_t gone = kLayers * 3 * kWide * kFfn / 4;
  EXPECT_EQ(before.macs - after.macs, gone);
  EXPECT_EQ(before.read - after.read, 2 * gone);
  EXPECT_EQ(before.weights - after.weights, 2 * gone);
  EXPECT_EQ(after.kv, before.kv);
}

TEST(Transform, PruningRowsLeavesWholeBlocks) {
  const StoredModel m = transformed("  - {kind: prune_rows, share: 0.3}\n");
  // 70 % of 14336 are 10035.2: 40 blocks of 256.
  EXPECT_EQ(m.model.ffn, 10'240);
}

TEST(Transform, PruningColumnsNarrowsTheStreamInEveryMatrix) {
  const StoredModel m = transformed("  - {kind: prune_columns, share: 0.25}\n", "llama-3.1-8b", "F16");
  const Totals before = plain("F16"), after = totals(m);
  EXPECT_EQ(m.model.hidden, 3072);
  const std::int64_t vocabulary = 128'256,
                     per_column = kLayers * (2 * 4096 + 2 * 1024 + 3 * kFfn) + vocabulary;
  EXPECT_EQ(before.macs - after.macs, 1024 * per_column);
  EXPECT_EQ(after.kv, before.kv);
}

TEST(Transform, PruningHeadsShrinksTheCacheToo) {
  const Totals before = plain("F16"),
               after = totals(transformed("  - {kind: prune_heads, share: 0.25}\n", "llama-3.1-8b", "F16"));
  const std::int64_t weights = kLayers * kWide * (2 * 1024 + 2 * 256), attention = 2 * kLayers * 1024 * 1025;
  EXPECT_EQ(before.macs - after.macs, weights + attention);
  EXPECT_EQ(after.kv, before.kv * 3 / 4);
}

TEST(Transform, PruningLayersRenumbersTheRest) {
  const StoredModel m = transformed("  - {kind: prune_layers, layers: \"1, 4-6\"}\n", "llama-3.1-8b", "F16");
  EXPECT_EQ(m.model.layers, 28);
  const Totals before = plain("F16"), after = totals(m);
  EXPECT_EQ(after.kv, before.kv * 28 / 32);
  EXPECT_EQ(before.macs - after.macs, 4 * (kWide * (2 * 4096 + 2 * 1024 + 3 * kFfn) + 2 * 4096 * 1025));
}

TEST(Transform, LowRankPutsTwoFactorsInAMatrixsPlace) {
  const StoredModel m =
      transformed("  - {kind: low_rank, tensors: \"ffn_up\", rank: 512}\n", "llama-3.1-8b", "F16");
  const Totals before = plain("F16"), after = totals(m);
  const std::int64_t fewer = kLayers * (kWide * kFfn - 512 * (kWide + kFfn));
  EXPECT_EQ(before.macs - after.macs, fewer);
  EXPECT_EQ(before.read - after.read, 2 * fewer);
}

TEST(Transform, SparsityKeepsPartOfARowWithItsIndices) {
  const Totals before = plain("F16"),
               after = totals(
                   transformed("  - {kind: sparsity, tensors: \"ffn_*\", density: 0.5, index_bits: 2}\n",
                               "llama-3.1-8b", "F16"));
  const std::int64_t weights = kLayers * 3 * kWide * kFfn;
  EXPECT_EQ(before.macs - after.macs, weights / 2);
  EXPECT_EQ(before.read - after.read, weights * 2 - weights / 2 * 2 - weights / 2 * 2 / 8);
  EXPECT_EQ(before.weights - after.weights, before.read - after.read);
}

TEST(Transform, SkippedLayersStayInMemoryAndComeBackWithTheBatch) {
  const StoredModel m =
      transformed("  - {kind: skip_layers, layers: \"8-23\", probability: 0.5}\n", "llama-3.1-8b", "F16");
  const Totals before = plain("F16"), after = totals(m);
  EXPECT_EQ(after.weights, before.weights);
  const std::int64_t layer = kWide * (2 * 4096 + 2 * 1024 + 3 * kFfn) + 2 * 4096 * 1025;
  EXPECT_EQ(before.macs - after.macs, 8 * layer);
  // 1 - 0.5^16 of 16 layers are all of them.
  EXPECT_EQ(totals(m, 1024, 16).macs, totals(store(model("llama-3.1-8b"), "F16"), 1024, 16).macs);
}

TEST(Transform, SkippedNeuronsAreTheUnionOverTheBatch) {
  const StoredModel m = transformed("  - {kind: skip_neurons, probability: 0.25}\n", "llama-3.1-8b", "F16");
  const auto ffn_width = [&](std::int64_t batch) {
    const Trace t = generate_decode(m, 0, batch);
    for (const Operator& o : t.operators)
      if (o.name == "blk.3.ffn_down") return std::get<MatMul>(o.body).k;
    return std::int64_t{0};
  };
  EXPECT_EQ(ffn_width(1), kFfn / 4);
  EXPECT_EQ(ffn_width(2), kFfn * 7 / 16);
  EXPECT_EQ(totals(m).weights, plain("F16").weights);
}

TEST(Transform, DroppedTokensLeaveTheCacheOfTheLayersThatDropThem) {
  const StoredModel m =
      transformed("  - {kind: drop_tokens, layers: \"16-31\", keep: 0.5}\n", "llama-3.1-8b", "F16");
  const Totals before = plain("F16"), after = totals(m);
  EXPECT_EQ(before.read - after.read, 16 * 512 * 4096);
  const Trace prompt = generate_prefill(m, 100);
  std::int64_t rows = 0;
  for (const Operator& o : prompt.operators)
    if (o.name == "blk.31.ffn_up") rows = std::get<MatMul>(o.body).m;
  EXPECT_EQ(rows, 50);
}

TEST(Transform, AWindowBoundsTheCacheOfItsLayers) {
  const Totals after =
      totals(transformed("  - {kind: window, size: 100, global_every: 4}\n", "llama-3.1-8b", "F16"));
  EXPECT_EQ(plain("F16").read - after.read, 24 * (1024 - 99) * 4096);
}

TEST(Transform, AppliesInOrderAndNamesTheResult) {
  const StoredModel m = transformed(
      "  - {kind: prune_layers, layers: \"0-15\"}\n  - {kind: prune_rows, share: 0.5}\n"
      "  - {kind: low_rank, tensors: \"attn_q\", rank: 256}\n  - {kind: skip_neurons, probability: 0.5}\n");
  EXPECT_EQ(m.model.layers, 16);
  EXPECT_EQ(generate_decode(m, 10).model, "llama-3.1-8b+test");
}

TEST(Transform, EveryOneOfTheRepositoryFitsTheModelsOfTheTable) {
  for (const auto& entry : std::filesystem::directory_iterator(kDataDir + "/models/transformations")) {
    if (entry.path().extension() != ".yaml") continue;
    for (const char* name : {"llama-2-7b", "llama-3.1-8b"})
      for (const std::int64_t batch : {1, 8}) {
        const StoredModel m = transform(store(model(name), "Q4_K_M"), entry.path().stem().string(), kDataDir);
        EXPECT_GT(totals(m, 512, batch).macs, 0) << entry.path();
        EXPECT_GT(total_macs(generate_prefill(m, 64)), Macs(0));
      }
  }
}

TEST(Transform, OfBiasedFusedAndMixedModelsKeepsTheirTensorsTogether) {
  const std::string lists[] = {
      "  - {kind: prune_rows, share: 0.5}\n", "  - {kind: prune_columns, share: 0.5}\n",
      "  - {kind: prune_heads, share: 0.5}\n", "  - {kind: low_rank, tensors: \"attn_*\", rank: 64}\n",
      "  - {kind: sparsity, tensors: \"*\", density: 0.3, index_bits: 4}\n"};
  for (const char* name : {"phi-2", "phi-3-mini-4k", "qwen2.5-1.5b", "qwen3-4b", "gemma-2-2b", "chatglm3-6b"})
    for (const std::string& list : lists)
      EXPECT_LT(totals(transformed(list, name, "F16")).macs, totals(store(model(name), "F16")).macs)
          << name << list;
  EXPECT_LT(totals(transformed("  - {kind: prune_columns, share: 0.5}\n", "mixtral-8x7b")).macs,
            totals(store(model("mixtral-8x7b"), "Q4_K_M")).macs);
}

// Which layer has which shape would shift.
TEST(Transform, RefusesPruningWhereLayersDiffer) {
  for (const char* name : {"lfm2.5-1.2b", "gemma-4-31b", "gemma-4-e2b"})
    for (const char* list :
         {"  - {kind: prune_heads, share: 0.5}\n", "  - {kind: prune_columns, share: 0.5}\n",
          "  - {kind: prune_layers, layers: \"1\"}\n", "  - {kind: window, size: 64}\n"})
      EXPECT_THAT(refusal(list, name), HasSubstr("is not modelled for models with short convolutions"))
          << name << list;
  EXPECT_THAT(refusal("  - {kind: prune_layers, layers: \"1\"}\n", "glm-4.5-air"), HasSubstr("dense layers"));
  EXPECT_EQ(refusal("  - {kind: precision, tensors: \"shortconv.*_proj\", format: Q8_0}\n", "lfm2.5-1.2b"),
            "");
}

TEST(Transform, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal("  - {kind: prune, share: 0.5}\n"),
              HasSubstr("t.yaml:3:12: 'kind': found 'prune'; allowed: precision, prune_rows"));
  EXPECT_THAT(refusal("  - {kind: prune_rows}\n"), HasSubstr("'share'"));
  EXPECT_THAT(refusal("  - {kind: prune_rows, share: 1}\n"), HasSubstr("nothing would be left"));
  EXPECT_THAT(refusal("  - {kind: prune_rows, share: 0.5, rows: 3}\n"), HasSubstr("rows"));
  EXPECT_THAT(refusal("  - {kind: prune_layers, layers: \"30-32\"}\n"),
              HasSubstr("'30-32' is no layer or range of layers of Llama-3.1-8B, which has 0 to 31"));
  EXPECT_THAT(refusal("  - {kind: prune_layers, layers: \"0-31\"}\n"), HasSubstr("no layer would be left"));
  EXPECT_THAT(refusal("  - {kind: precision, tensors: \"attn_x\", format: F16}\n"),
              HasSubstr("'attn_x' matches no matrix there; the model has"));
  EXPECT_THAT(refusal("  - {kind: precision, tensors: \"*\", format: F17}\n"), HasSubstr("did you mean"));
  EXPECT_THAT(refusal("  - {kind: prune_rows, share: 0.5}\n", "mixtral-8x7b"),
              HasSubstr("pruning neurons of experts is not modelled"));
  EXPECT_THAT(refusal("  - {kind: low_rank, tensors: \"ffn_up_exps\", rank: 8}\n", "mixtral-8x7b"),
              HasSubstr("holds experts"));
  EXPECT_THAT(refusal("  - {kind: precision, tensors: \"attn_q\", format: Q4_K}\n", "qwen2.5-0.5b"),
              HasSubstr("rows of 896 elements are not whole blocks of Q4_K (256)"));
  EXPECT_THAT(refusal("  - 3\n"), HasSubstr("t.yaml:3:5: a transformation is a map"));
}

TEST(Transform, MatchesNamesWithStars) {
  const auto changed = [](const std::string& pattern) {
    int count = 0;
    const StoredModel m = transformed("  - {kind: precision, tensors: \"" + pattern + "\", format: F32}\n");
    for (const StoredTensor& t : m.tensors) count += t.format == Format::F32 && t.tensor.rows > 1;
    return count;
  };
  EXPECT_EQ(changed("ffn_*"), 96);
  EXPECT_EQ(changed("*_k"), 32);
  EXPECT_EQ(changed("*t*_*v*"), 32) << "attn_v";
  EXPECT_EQ(changed("*"), 32 * 7 + 2);
  EXPECT_EQ(changed("output"), 1);
  EXPECT_THAT(refusal("  - {kind: precision, tensors: \"*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\", format: F32}\n"),
              HasSubstr("matches no matrix"));
}

TEST(Transform, SuggestsTheNearestForAnUnknownName) {
  EXPECT_THAT(
      message_of<InputError>([] { transform(store(model("llama-2-7b"), "F16"), "sparse-2-5", kDataDir); }),
      HasSubstr("did you mean 'sparse-2-4'?"));
}

}  // namespace
}  // namespace edgenpu::workload
