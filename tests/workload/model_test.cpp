#include "workload/model.h"

#include <gmock/gmock.h>
#include <map>

#include "config/value.h"
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
  EXPECT_EQ(parameters(model("lfm2.5-1.2b")), 1'170'340'608);
  EXPECT_EQ(parameters(model("lfm2.5-350m")), 354'483'968);
  EXPECT_EQ(parameters(model("lfm2-700m")), 742'489'344);
  EXPECT_EQ(parameters(model("lfm2-2.6b")), 2'569'272'320);
  EXPECT_EQ(parameters(model("lfm2-8b-a1b")), 8'339'929'856);
  EXPECT_EQ(parameters(model("gpt-oss-20b")), 20'914'757'184);
  EXPECT_EQ(parameters(model("gpt-oss-120b")), 116'829'156'672);
}

// In G parameters. Read: gpt-oss, Qwen3.5-0.8B, 4B, 9B, 27B and 35B, Gemma 3 27B, Gemma 4, Qwen3-32B
// (llama.cpp's and llama-bench's output), Nanbeige4.1 (a model card). The others are recalled from model
// cards, as digits allow. Stand-ins without the embeddings that are looked up. Not here: TeleChat2,
// Hunyuan 1.8B and 7B, LLM-jp, for which no count but the name's is known.
TEST(Model, AgreesWithThePublishedSize) {
  const std::vector<std::pair<const char*, double>> published = {
      {"qwen3.5-0.8b", 0.752},
      {"qwen3.5-2b", 1.88},
      {"qwen3.5-4b", 4.21},
      {"qwen3.5-9b", 8.95},
      {"qwen3.5-27b", 26.9},
      {"qwen3.5-35b-a3b", 34.66},
      {"qwen3-next-80b-a3b", 79.67},
      {"gemma-3-27b", 27.009},
      {"gemma-2-27b", 27.227},
      {"gemma-3n-e2b", 2.447},
      {"gemma-3n-e4b", 4.521},
      {"gemma-4-e4b", 4.702},
      {"gemma-4-e2b", 2.26},  // 4.65 less the embeddings of layers (2.35) and their gates (0.04)
      {"deepseek-moe-16b", 16.38},
      {"ernie-4.5-21b-a3b", 21.83},
      {"glm-4.5-air", 106.85},
      {"ling-mini-2.0", 16.26},
      {"gemma-4-31b", 30.7},
      {"gemma-4-26b-a4b", 25.2},
      {"qwen3-32b", 32.76},
      {"qwen3-235b-a22b", 235.09},
      {"qwen1.5-7b", 7.72},
      {"qwen1.5-14b", 14.17},
      {"qwen1.5-moe-a2.7b", 14.3},
      {"qwen2.5-72b", 72.7},
      {"llama-30b", 32.53},
      {"llama-65b", 65.29},
      {"codellama-34b", 33.74},
      {"openllama-3b", 3.43},
      {"allam-7b", 7},
      {"baichuan2-7b", 7.51},
      {"llama-4-scout", 107.77},
      {"mistral-small-24b", 23.57},
      {"mistral-small-22b", 22.25},
      {"ministral-8b", 8.02},
      {"ministral-3-3b", 3.43},
      {"ministral-3-8b", 8.49},
      {"ministral-3-14b", 13.51},
      {"mixtral-8x22b", 140.63},
      {"falcon3-1b", 1.67},
      {"falcon3-3b", 3.23},
      {"falcon3-7b", 7.46},
      {"falcon3-10b", 10.31},
      {"granite-3.1-8b", 8.17},
      {"granite-3.1-1b-a400m", 1.33},
      {"granite-3.1-3b-a800m", 3.3},
      {"granite-4.0-micro", 3.4},
      {"granite-4.0-1b", 1.63},
      {"granite-4.0-350m", 0.352},
      {"minicpm-1.2b", 1.36},
      {"minicpm4-0.5b", 0.434},
      {"minicpm4-8b", 8.19},
      {"internlm3-8b", 8.8},
      {"phi-3-medium", 13.96},
      {"phi-1.5", 1.418},
      {"phi-3.5-moe", 41.87},
      {"yi-9b", 8.83},
      {"yi-34b", 34.39},
      {"solar-10.7b", 10.73},
      {"olmo-2-1b", 1.485},
      {"olmo-2-7b", 7.3},
      {"olmo-2-13b", 13.72},
      {"olmo-1b", 1.18},
      {"deepseek-coder-1.3b", 1.346},
      {"deepseek-coder-6.7b", 6.74},
      {"deepseek-coder-33b", 33.34},
      {"deepseek-llm-7b", 6.91},
      {"starcoder2-3b", 3.03},
      {"starcoder2-7b", 7.17},
      {"starcoder2-15b", 15.96},
      {"granite-code-3b", 3.48},
      {"granite-code-8b", 8.05},
      {"mobilellm-125m", 0.1246},
      {"mobilellm-350m", 0.3453},
      {"mobilellm-600m", 0.603},
      {"mobilellm-1b", 1.005},
      {"mobilellm-1.5b", 1.51},
      {"exaone-3.5-2.4b", 2.405},
      {"exaone-3.5-7.8b", 7.82},
      {"exaone-4.0-1.2b", 1.28},
      {"command-r7b", 8.03},
      {"aya-23-8b", 8.03},
      {"ernie-4.5-0.3b", 0.361},
      {"hunyuan-a13b", 80.39},
      {"glm-4-9b", 9.4},
      {"minimax-m2", 228.69},
      {"nemotron-mini-4b", 4.19},
      {"llama-3.1-nemotron-nano-4b", 4.51},
      {"mistral-nemo-minitron-8b", 8.41},
      {"nemotron-nano-9b-v2", 8.89},
      {"h2o-danube2-1.8b", 1.83},
      {"h2o-danube3-4b", 3.96},
      {"h2o-danube3-500m", 0.514},
      {"redpajama-3b", 2.78},
      {"nanbeige4.1-3b", 3.93},
      {"qwen3.5-122b-a10b", 122.1},
      {"pythia-160m", 0.1623},
      {"pythia-410m", 0.4053},
      {"pythia-1b", 1.0118},
      {"pythia-1.4b", 1.4147},
      {"pythia-2.8b", 2.7752},
      {"pythia-6.9b", 6.8573},
      {"opt-125m", 0.1252},
      {"opt-1.3b", 1.3158},
      {"opt-2.7b", 2.6516},
      {"opt-6.7b", 6.6585},
      {"opt-13b", 12.853},
      {"gpt-2", 0.1244},
      {"gpt-2-medium", 0.3548},
      {"gpt-2-large", 0.774},
      {"gpt-2-xl", 1.5576},
      {"bloom-560m", 0.5592},
      {"bloom-1.7b", 1.7224},
      {"bloom-3b", 3.0026},
      {"bloom-7.1b", 7.069},
      {"gpt-j-6b", 6.05},
      {"falcon-7b", 6.92},
      {"internlm-7b", 7.32},
      {"internlm2-20b", 19.86},
      {"baichuan2-13b", 13.9},
      {"qwen1.5-32b", 32.51},
      {"seed-oss-36b", 36.15},
      {"glm-4-32b", 32.57},
      {"command-r-35b", 34.98},
      {"exaone-4.0-32b", 32},
      {"olmo-3-7b", 7.3},
      {"mistral-large", 122.6},
      {"afm-4.5b", 4.62},
      {"eurollm-1.7b", 1.657},
      {"eurollm-9b", 9.15},
      {"salamandra-2b", 2.253},
      {"salamandra-7b", 7.768},
      {"apertus-8b", 8.05},
      {"sheared-llama-1.3b", 1.345},
      {"sheared-llama-2.7b", 2.7},
      {"codeqwen1.5-7b", 7.25},
  };
  for (const auto& [name, size] : published)
    EXPECT_NEAR(static_cast<double>(parameters(model(name))) * 1e-9, size, 0.013 * size) << name;
}

// Files that are right in all say nothing; the others say what is not, and from which context on.
TEST(Model, SaysWhatAStandInIsNotRightIn) {
  for (const char* name :
       {"qwen3.5-4b", "qwen3-next-80b-a3b", "nemotron-nano-9b-v2", "gemma-3n-e2b", "gemma-4-e4b"})
    EXPECT_THAT(model(name).stand_in, HasSubstr("at any context")) << name;
  EXPECT_THAT(model("llama-4-scout").stand_in, HasSubstr("beyond 8192 tokens"));
  for (const char* name : {"lfm2.5-1.2b", "gemma-4-31b", "glm-4.5-air", "qwen3-4b"})
    EXPECT_EQ(model(name).stand_in, "") << name;
}

TEST(Model, HasItsOwnHeadsInGlobalLayers) {
  const Model m = model("gemma-4-31b");
  EXPECT_EQ(m.head_dim_of(0), 256);
  EXPECT_EQ(m.head_dim_of(5), 512);
  EXPECT_EQ(m.kv_heads_of(0), 16);
  EXPECT_EQ(m.kv_heads_of(5), 4);
  EXPECT_TRUE(m.keys_are_values(5));
  EXPECT_FALSE(m.keys_are_values(4));
}

TEST(Model, KnowsWhichLayersAttendAndWhichHaveExperts) {
  const Model m = model("lfm2-8b-a1b");
  EXPECT_FALSE(m.attends(0));
  EXPECT_TRUE(m.attends(2));
  EXPECT_FALSE(m.has_experts(1));
  EXPECT_TRUE(m.has_experts(2));
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

// As people have them from Hugging Face; words of a training leave the shape as it is.
TEST(Model, IsFoundByTheNameOfItsCheckpoint) {
  for (const auto& [name, file] :
       std::map<std::string, std::string>{{"Qwen/Qwen3-4B", "qwen3-4b"},
                                          {"qwen/qwen3-4b", "qwen3-4b"},
                                          {"qwen3-4b-instruct-2507", "qwen3-4b"},
                                          {"Qwen/Qwen3-30B-A3B-Thinking-2507", "qwen3-30b-a3b"},
                                          {"Llama-3.1-8B-Instruct", "llama-3.1-8b"},
                                          {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"},
                                          {"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"},
                                          {"google/gemma-3-4b-it", "gemma-3-4b"},
                                          {"LiquidAI/LFM2-700M", "lfm2-700m"}})
    EXPECT_EQ(model_id(find_model(name, kDataDir)), file) << name;
  EXPECT_THAT(message_of<InputError>([] { find_model("Qwen/Qwen3-5B", kDataDir); }),
              HasSubstr("unknown model 'Qwen/Qwen3-5B'; did you mean 'qwen3-"));
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

TEST(ModelFile, RefusesLayersThatItDoesNotHave) {
  EXPECT_THAT(message_after("[2, 5, 8, 10, 12, 14]", "[2, 5, 5, 16]", "lfm2.5-1.2b"),
              HasSubstr("'attention_layers': '5' is no layer of 0 to 15 in ascending order"));
  EXPECT_THAT(message_after("[2, 5, 8, 10, 12, 14]", "[]", "lfm2.5-1.2b"), HasSubstr("names no layer"));
  EXPECT_THAT(message_after("kv_heads: 4, head", "kv_heads: 3, head", "gemma-4-31b"),
              HasSubstr("32 heads cannot share 3 KV heads evenly"));
  EXPECT_THAT(message_after("shared_cache: 20", "shared_cache: 35", "gemma-4-e2b"),
              HasSubstr("no layer would keep a cache"));
  EXPECT_THAT(message_after("shared_ffn: 5632, ", "", "qwen1.5-moe-a2.7b"),
              HasSubstr("there is no shared part"));
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
