#include "workload/model.h"

#include <gmock/gmock.h>

#include "support.h"
#include "workload/tensors.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& name) {
  std::ifstream file(kDataDir + "/models/" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// What reading llama-3.1-8b.yaml says after one edit.
std::string message_after(const std::string& from, const std::string& to,
                          const std::string& name = "llama-3.1-8b") {
  const std::string text = replaced(text_of(name), from, to);
  return message_of<InputError>([&] { read_model(config::parse_text(text, "m.yaml")); });
}

TEST(Model, IsNamedLikeItsFile) {
  EXPECT_GE(model_names(kDataDir).size(), 31u);
  for (const std::string& name : model_names(kDataDir)) EXPECT_EQ(model_id(model(name)), name);
}

// Counts of the published checkpoints.
TEST(Model, HasThePublishedNumberOfParameters) {
  EXPECT_EQ(parameters(model("llama-3.1-8b")), 8'030'261'248);
  EXPECT_EQ(parameters(model("llama-3.2-1b")), 1'235'814'400);
  EXPECT_EQ(parameters(model("qwen2.5-0.5b")), 494'032'768);
  EXPECT_EQ(parameters(model("qwen3-4b")), 4'022'468'096);
  EXPECT_EQ(parameters(model("phi-2")), 2'779'683'840);
  EXPECT_EQ(parameters(model("phi-3.5-mini")), 3'821'079'552);
  EXPECT_EQ(parameters(model("gemma-3-1b")), 999'885'952);
  EXPECT_EQ(parameters(model("mixtral-8x7b")), 46'702'792'704);
  EXPECT_EQ(parameters(model("olmoe-1b-7b")), 6'919'161'856);
  EXPECT_EQ(parameters(model("chatglm3-6b")), 6'243'584'000);
  EXPECT_EQ(parameters(model("minicpm-2b")), 2'724'880'896);
}

TEST(Model, MakesEverySixthLayerOfGemma3Global) {
  const Model m = model("gemma-3-1b");
  std::vector<std::int64_t> global;
  for (std::int64_t i = 0; i < m.layers; ++i)
    if (m.window_of(i) == 0) global.push_back(i);
  EXPECT_EQ(global, (std::vector<std::int64_t>{5, 11, 17, 23}));
  EXPECT_EQ(m.window_of(0), 512);
}

TEST(Model, IsFoundInAnyCaseAndByPath) {
  EXPECT_EQ(find_model("Llama-3.1-8B", kDataDir).name, "Llama-3.1-8B");
  EXPECT_EQ(find_model(kDataDir + "/models/phi-2.yaml", "").name, "Phi-2");
}

TEST(Model, ListsTheKnownNamesForAnUnknownOne) {
  const std::string message = message_of<InputError>([] { find_model("llama-3.1-8", kDataDir); });
  EXPECT_THAT(message, HasSubstr("--model: unknown model 'llama-3.1-8'"));
  EXPECT_THAT(message, HasSubstr("qwen3-4b, qwen3-8b"));
  EXPECT_THAT(message, HasSubstr("did you mean 'llama-3.1-8b'?"));
}

TEST(Model, NamesTheFileThatCannotBeRead) {
  EXPECT_THAT(message_of<InputError>([] { find_model("no/such.yaml", kDataDir); }),
              HasSubstr("no/such.yaml"));
}

TEST(ModelFile, RefusesAnUnknownKeyAndSuggestsTheNearest) {
  const std::string message = message_after("kv_heads: 8", "kv_haeds: 8");
  EXPECT_THAT(message, HasSubstr("m.yaml:15:1: unknown key 'kv_haeds'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'kv_heads'?"));
  EXPECT_THAT(message, HasSubstr("lacks the key 'kv_heads'"));
}

TEST(ModelFile, RefusesADuplicateKey) {
  EXPECT_THAT(message_after("heads: 32\n", "heads: 32\nheads: 16\n"),
              HasSubstr("m.yaml:15:1: duplicate key 'heads'"));
}

TEST(ModelFile, RefusesAMissingKey) {
  EXPECT_THAT(message_after("vocab: 128256\n", ""),
              HasSubstr("lacks the key 'vocab': a whole number is needed"));
}

TEST(ModelFile, RefusesAWrongType) {
  EXPECT_THAT(message_after("layers: 32", "layers: many"),
              HasSubstr("m.yaml:7:9: 'layers' must be a whole number"));
  EXPECT_THAT(message_after("gated_ffn: true", "gated_ffn: 1"),
              HasSubstr("'gated_ffn' must be true or false"));
  EXPECT_THAT(message_after("activation: silu", "activation: selu"),
              HasSubstr("allowed: silu, gelu_tanh; did you mean 'silu'?"));
  EXPECT_THAT(message_after("rope:\n  pairing: norm", "rope: 5\nx:\n  pairing: norm"),
              HasSubstr("'rope' must be a section"));
}

TEST(ModelFile, RefusesANumberOutOfRange) {
  EXPECT_THAT(message_after("layers: 32", "layers: 0"),
              HasSubstr("'layers': 0 is out of range; allowed: 1 to 512"));
}

TEST(ModelFile, RefusesNumbersWithoutASource) {
  EXPECT_THAT(message_after("source:", "note:"), HasSubstr("has no source"));
}

TEST(ModelFile, RefusesShapesThatContradictEachOther) {
  EXPECT_THAT(message_after("kv_heads: 8", "kv_heads: 5"),
              HasSubstr("32 heads cannot share 5 KV heads evenly"));
  EXPECT_THAT(message_after("\n  dim: 128", "\n  dim: 130"),
              HasSubstr("turns 130 elements of a head of 128"));
  EXPECT_THAT(message_after("\n  dim: 128", "\n  dim: 127"), HasSubstr("is odd"));
  EXPECT_THAT(message_after("parallel_attn_ffn: false", "parallel_attn_ffn: true"),
              HasSubstr("one norm a layer"));
  EXPECT_THAT(message_after("active: 2", "active: 9", "mixtral-8x7b"),
              HasSubstr("9 experts are chosen among 8"));
  EXPECT_THAT(message_after("other_bias: false", "other_bias: true", "mixtral-8x7b"),
              HasSubstr("not modelled"));
  EXPECT_THAT(message_after("gated_ffn: true", "gated_ffn: false", "phi-3-mini-4k"),
              HasSubstr("no gate to fuse"));
}

TEST(ModelFile, ReportsAllErrorsInOneGo) {
  const std::string text =
      replaced(replaced(text_of("phi-2"), "layers: 32", "layers: x"), "vocab: 51200\n", "");
  try {
    read_model(config::parse_text(text, "m.yaml"));
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().size(), 2u);
  }
}

}  // namespace
}  // namespace edgenpu::workload
