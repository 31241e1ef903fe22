// Mixtures against published file sizes, and the rules one by one.
#include "workload/mixture.h"

#include <gmock/gmock.h>

#include "support.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;

std::int64_t file_bytes(const Model& m, const std::string& quant) {
  return tensor_data_bytes(stored_tensors(m, mixture_by_name(quant))).count();
}

Format format_of(const Model& m, const std::string& quant, const std::string& tensor) {
  for (const StoredTensor& t : stored_tensors(m, mixture_by_name(quant)))
    if (t.tensor.name == tensor) return t.format;
  throw InternalError("no tensor " + tensor);
}

// Files of 2023 whose mixture followed another rule: Q4_K_S took the first 4 layers and Q3_K_M the first 2,
// where the rule modelled takes an eighth and a sixteenth.
bool other_rule(const Row& row) {
  const std::string& quant = row.at("quant");
  return row.at("layout_options") == "era=2023" && (quant == "Q4_K_S" || quant == "Q3_K_M");
}

// The head is there twice, though tied.
Model with_layout(const Row& row) {
  Model m = model(row.at("model"));
  if (row.at("layout_options") == "dup=True") m.tied_embeddings = false;
  return m;
}

TEST(Mixture, ReproducesPublishedFileSizesToTheByte) {
  int checked = 0, skipped = 0;
  for (const Row& row : table("gguf_sizes.csv")) {
    if (row.at("check") != "exact") continue;
    if (other_rule(row)) {
      ++skipped;
      continue;
    }
    ++checked;
    const std::int64_t computed = file_bytes(with_layout(row), row.at("quant"));
    EXPECT_EQ(computed, integer(row, "computed_tensor_bytes")) << row.at("model") << " " << row.at("quant");
    EXPECT_EQ(integer(row, "published_bytes") - computed, integer(row, "rest_bytes_metadata"))
        << row.at("model") << " " << row.at("quant");
  }
  EXPECT_EQ(checked, 166);
  EXPECT_EQ(skipped, 2);
}

// One file alone cannot separate tensors from metadata, but metadata is the tokeniser and a few keys: below
// 20 MB.
TEST(Mixture, LeavesPlausibleMetadataInTheFilesOfSingleFileRepositories) {
  int checked = 0;
  for (const Row& row : table("gguf_sizes.csv")) {
    if (row.at("check") == "exact" || !row.at("layout_options").empty()) continue;
    ++checked;
    const std::int64_t rest =
        integer(row, "published_bytes") - file_bytes(model(row.at("model")), row.at("quant"));
    EXPECT_EQ(rest, integer(row, "rest_bytes_metadata")) << row.at("model");
    EXPECT_TRUE(rest > 0 && rest < 20'000'000) << row.at("model") << ": " << rest;
  }
  EXPECT_EQ(checked, 9);
}

// Sizes as llama-bench prints them, GiB with two decimals; stand-ins within 2 %.
TEST(Mixture, AgreesWithSizesThatLlamaBenchPrints) {
  struct Printed {
    const char *model, *quant;
    double gib, tolerance;
  };
  const std::vector<Printed> printed = {
      {"qwen3-32b", "Q4_K_M", 18.40, 0.005},      {"qwen3-32b", "Q2_K", 11.49, 0.005},
      {"gemma-3-27b", "Q4_K_M", 15.40, 0.005},    {"gemma-3-27b", "Q4_0", 14.49, 0.005},
      {"gpt-oss-20b", "MXFP4_MOE", 11.27, 0.005}, {"qwen3.5-0.8b", "Q8_0", 763.78 / 1024, 0.015},
      {"qwen3.5-9b", "Q4_K_M", 5.23, 0.1},        {"gemma-4-31b", "Q8_0", 30.38, 0.005},
  };
  for (const Printed& p : printed)
    EXPECT_NEAR(static_cast<double>(file_bytes(model(p.model), p.quant)) / (1 << 30), p.gib, p.tolerance)
        << p.model << " " << p.quant;
}

TEST(Mixture, GivesTheTensorBytesOfEveryModelInQ4KM) {
  int checked = 0;
  for (const Row& row : table("decode_traffic.csv")) {
    ++checked;
    EXPECT_EQ(file_bytes(model(row.at("model")), "Q4_K_M"), integer(row, "q4km_tensor_bytes"))
        << row.at("model");
  }
  EXPECT_EQ(checked, 31);
}

TEST(Q4KMMixture, GivesMoreBitsToHalfOfTheValueMatricesOf32Layers) {
  const Model m = model("llama-3.1-8b");
  std::vector<int> layers;
  for (const StoredTensor& t : stored_tensors(m, mixture_by_name("Q4_K_M")))
    if (t.tensor.role == Role::attn_v && t.format == Format::Q6_K) layers.push_back(t.tensor.layer);
  EXPECT_EQ(layers, (std::vector<int>{0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31}));
}

TEST(Q4KMMixture, GivesQ6KToTheHeadWhetherTiedOrNot) {
  EXPECT_EQ(format_of(model("llama-3.1-8b"), "Q4_K_M", "output.weight"), Format::Q6_K);
  EXPECT_EQ(format_of(model("llama-3.1-8b"), "Q4_K_M", "token_embd.weight"), Format::Q4_K);
  EXPECT_EQ(format_of(model("llama-3.2-1b"), "Q4_K_M", "token_embd.weight"), Format::Q6_K);
}

TEST(Q4KMMixture, GivesQ5KToEveryFusedQkvMatrix) {
  for (const StoredTensor& t : stored_tensors(model("phi-2"), mixture_by_name("Q4_K_M"))) {
    if (t.tensor.role == Role::attn_qkv) {
      EXPECT_EQ(t.format, Format::Q5_K) << t.tensor.name;
    }
  }
}

TEST(Mixture, ProtectsAttentionOfExactly8Experts) {
  const Model eight = model("mixtral-8x7b"), many = model("olmoe-1b-7b");
  EXPECT_EQ(format_of(eight, "Q4_K_M", "blk.5.attn_k.weight"), Format::Q8_0);
  EXPECT_EQ(format_of(eight, "Q4_K_M", "blk.5.attn_v.weight"), Format::Q8_0);
  EXPECT_EQ(format_of(eight, "Q4_K_M", "blk.5.attn_output.weight"), Format::Q5_K);
  EXPECT_EQ(format_of(eight, "Q6_K", "blk.5.attn_output.weight"), Format::Q6_K);
  EXPECT_EQ(format_of(eight, "F16", "blk.5.attn_v.weight"), Format::F16);
  EXPECT_EQ(format_of(many, "Q4_K_M", "blk.5.attn_k.weight"), Format::Q4_K);
  EXPECT_EQ(format_of(many, "Q4_K_M", "blk.5.attn_output.weight"), Format::Q4_K);
}

TEST(Mixture, LooksAtGroupedHeadsOnlyInQ2K) {
  EXPECT_EQ(format_of(model("llama-3.1-8b"), "Q2_K", "blk.9.attn_v.weight"), Format::Q4_K);
  EXPECT_EQ(format_of(model("llama-2-7b"), "Q2_K", "blk.9.attn_v.weight"), Format::Q3_K);
}

TEST(Mixture, NeverPutsValuesOf80LayersBelowQ5K) {
  Model m = model("llama-3.1-8b");
  m.layers = 80;
  EXPECT_EQ(format_of(m, "Q4_K_M", "blk.11.attn_v.weight"), Format::Q5_K);
  EXPECT_EQ(format_of(m, "Q3_K_S", "blk.11.attn_v.weight"), Format::Q5_K);
  EXPECT_EQ(format_of(m, "Q4_K_M", "blk.11.attn_q.weight"), Format::Q4_K);
}

TEST(Mixture, KeepsNormsBiasesRouterAndRopeFactorsInF32) {
  EXPECT_EQ(format_of(model("qwen2.5-0.5b"), "Q4_K_M", "blk.0.attn_q.bias"), Format::F32);
  EXPECT_EQ(format_of(model("mixtral-8x7b"), "Q2_K", "blk.0.ffn_gate_inp.weight"), Format::F32);
  EXPECT_EQ(format_of(model("llama-3.2-1b"), "F16", "rope_freqs.weight"), Format::F32);
  EXPECT_EQ(format_of(model("phi-2"), "BF16", "output_norm.bias"), Format::F32);
}

struct Fallback {
  const char* quant;
  const char* tensor;
  Format format;
};

// Rows of 896: multiples of 32 and not of 256.
TEST(Mixture, FallsBackWhereARowIsNotWholeBlocksOf256) {
  const Model m = model("qwen2.5-0.5b");
  ASSERT_EQ(m.hidden % 256, 128);
  const Fallback cases[] = {
      {"Q2_K", "blk.3.attn_q.weight", Format::IQ4_NL},   {"Q3_K_M", "blk.3.attn_q.weight", Format::IQ4_NL},
      {"Q4_K_M", "blk.3.attn_q.weight", Format::Q5_0},   {"Q5_K_S", "blk.3.attn_q.weight", Format::Q5_1},
      {"Q6_K", "blk.3.attn_q.weight", Format::Q8_0},     {"Q4_K_M", "token_embd.weight", Format::Q8_0},
      {"Q4_K_M", "blk.5.ffn_down.weight", Format::Q6_K}, {"Q4_0", "blk.3.attn_q.weight", Format::Q4_0},
      {"Q8_0", "blk.3.attn_q.weight", Format::Q8_0}};
  for (const Fallback& c : cases) EXPECT_EQ(format_of(m, c.quant, c.tensor), c.format) << c.quant << c.tensor;
}

TEST(Mixture, FallsBackToF16WhereARowIsNotEvenWholeBlocksOf32) {
  Model m = model("llama-3.2-1b");
  m.ffn = 8200;
  for (const std::string quant : {"Q2_K", "Q4_K_M", "Q6_K", "Q4_0", "Q8_0", "q4f16"})
    EXPECT_EQ(format_of(m, quant, "blk.3.ffn_down.weight"), Format::F16) << quant;
  m.hidden = 2040;
  EXPECT_EQ(format_of(m, "Q4_K_M", "token_embd.weight"), Format::F16);
}

TEST(Q4F16Mixture, TakesFourAndAHalfBitsForEveryMatrix) {
  for (const StoredTensor& t : stored_tensors(model("llama-3.1-8b"), mixture_by_name("q4f16"))) {
    if (t.tensor.role == Role::unquantised) continue;
    EXPECT_EQ(t.bytes().count() * 16, t.tensor.row * t.tensor.rows * 9) << t.tensor.name;
  }
}

TEST(OtherRuntimes, QuantiseTheLayersAndLeaveEmbeddingAndHeadInF16) {
  for (const auto& [name, format] : {std::pair{"w8a8", vocabulary::format_named("W8")},
                                     {"w4a16", vocabulary::format_named("W4_128")},
                                     {"awq", vocabulary::format_named("AWQ_128")}})
    for (const StoredTensor& t : stored_tensors(model("llama-3.1-8b"), mixture_by_name(name))) {
      if (t.tensor.role == Role::unquantised) continue;
      EXPECT_EQ(t.format, t.tensor.layer < 0 ? Format::F16 : format) << t.tensor.name;
    }
}

TEST(Mxfp4Mixture, QuantisesExpertsAloneAndLeavesTheRestToItsName) {
  for (const auto& [name, rest] : {std::pair{"MXFP4_MOE", Format::Q8_0}, {"mxfp4", Format::BF16}})
    for (const StoredTensor& t : stored_tensors(model("qwen3-30b-a3b"), mixture_by_name(name))) {
      if (t.tensor.role == Role::unquantised) continue;
      EXPECT_EQ(t.format, t.tensor.matrices > 1 ? Format::MXFP4 : rest) << t.tensor.name;
    }
}

// A row of 14,464 is 56.5 super-blocks of 256 and 452 blocks of 32.
TEST(Mixture, FallsBackWhereARowIsNotWholeBlocks) {
  Model m = model("llama-3.1-8b");
  m.ffn = 14'464;
  for (const StoredTensor& t : stored_tensors(m, mixture_by_name("Q4_K_M")))
    if (t.tensor.role == Role::ffn_down) {
      EXPECT_TRUE(t.format == Format::Q5_0 || t.format == Format::Q8_0);
    }
  for (const StoredTensor& t : stored_tensors(m, mixture_by_name("w4a16")))
    if (t.tensor.role == Role::ffn_down) {
      EXPECT_EQ(t.format, vocabulary::format_named("W4_128"));
    }
}

TEST(Mixture, SuggestsTheNearestForAnUnknownName) {
  const std::string message = message_of<InputError>([] { mixture_by_name("Q4_KM"); });
  EXPECT_THAT(message, HasSubstr("--quant"));
  EXPECT_THAT(message,
              HasSubstr("unknown quantisation 'Q4_KM'; did you mean 'Q4_K_M'? allowed: Q2_K, Q3_K_S, "));
  for (const std::string& name : mixture_names()) EXPECT_THAT(message, HasSubstr(name));
}

// Names of files that people have; bytes a weight of the layers as ggml's blocks have them.
TEST(Mixture, IsKnownInAnyCaseAndByPublishersNames) {
  EXPECT_EQ(file_bytes(model("llama-3.1-8b"), "q4_k_m"), file_bytes(model("llama-3.1-8b"), "Q4_K_M"));
  EXPECT_EQ(format_of(model("llama-3.1-8b"), "Q5_0", "blk.3.ffn_up.weight"), Format::Q5_0);
  EXPECT_EQ(format_of(model("llama-3.1-8b"), "Q5_1", "output.weight"), Format::Q6_K);
  EXPECT_EQ(format_of(model("llama-3.1-8b"), "Q4_K_L", "output.weight"), Format::Q8_0);
  EXPECT_EQ(format_of(model("llama-3.1-8b"), "Q4_K_L", "blk.0.attn_v.weight"), Format::Q6_K);
}

TEST(Mixture, IsNotSuggestedForAnotherSize) {
  for (const char* name : {"IQ3_XXS", "IQ2_M", "iq1_s", "UD-Q4_K_XL", "Q2_K_XL", "TQ1_0"}) {
    const std::string message = message_of<InputError>([&] { mixture_by_name(name); });
    EXPECT_THAT(message, testing::HasSubstr("give the GGUF file itself")) << name;
    EXPECT_THAT(message, testing::Not(testing::HasSubstr("did you mean"))) << name;
  }
  EXPECT_THAT(message_of<InputError>([] { mixture_by_name("Q4_K_N"); }),
              testing::HasSubstr("did you mean 'Q4_K_"));
}

}  // namespace
}  // namespace edgenpu::workload
