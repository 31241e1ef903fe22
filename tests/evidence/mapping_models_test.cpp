// Which shape a model is taken for, by its name as people write it.
#include <gmock/gmock.h>
#include <set>

#include "evidence/mapping.h"
#include "sweep/study_fixture.h"

namespace edgenpu::evidence {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Names = std::vector<std::pair<const char*, const char*>>;

const std::string kPublished = std::string(EDGENPU_SOURCE_DIR) + "/hw_configs/published/";

const Mapping& shipped() {
  static const Mapping mapping(kPublished + "mapping.yaml", EDGENPU_SOURCE_DIR);
  return mapping;
}

Mapped mapped(const std::string& model, const std::string& runtime = "llama.cpp") {
  Measurement m;
  m.id = "x";
  m.device = "Raspberry Pi 5";
  m.device_class = "cpu";
  m.model = model;
  m.quant = "Q4_K_M";
  m.runtime = runtime;
  m.decode_tok_s = 1;
  return shipped().map(m);
}

void expect_shapes(const Names& names) {
  for (const auto& [name, shape] : names) {
    const Mapped m = mapped(name);
    EXPECT_EQ(m.reason, "") << name;
    EXPECT_EQ(m.request.model, shape) << name;
  }
}

TEST(ModelNames, AreFoundInAnySpelling) {
  expect_shapes({
      {"Llama-3.2-1B-Instruct", "llama-3.2-1b"},
      {"llama3.2:1b", "llama-3.2-1b"},
      {"Llama 3.2 1B", "llama-3.2-1b"},
      {"llama3.2:3b", "llama-3.2-3b"},
      {"Llama 3.2 (3B)", "llama-3.2-3b"},
      {"llama3.2", "llama-3.2-3b"},
      {"llama3.2:latest", "llama-3.2-3b"},
      {"qwen2.5vl:7b", "qwen2.5-7b"},
      {"llama3", "llama-3.1-8b"},
      {"llama3.1:8b", "llama-3.1-8b"},
      {"Llama 3 8B Instruct", "llama-3.1-8b"},
      {"meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"},
      {"llama3.1:70b", "llama-3.1-70b"},
      {"Llama 3.3 70B", "llama-3.1-70b"},
      {"llama2:7b", "llama-2-7b"},
      {"Llama 2 7B Chat", "llama-2-7b"},
      {"llama-2-13b-chat", "llama-2-13b"},
      {"vicuna-7b-v1.5", "llama-2-7b"},
      {"WizardLM 30B", "llama-30b"},
      {"LLaMA 33B", "llama-30b"},
      {"CodeLlama 34B Instruct", "codellama-34b"},
      {"code-llama-7b", "llama-2-7b"},
      {"TinyLlama 1.1B Chat v1.0", "tinyllama-1.1b"},
      {"Tiny-Llama-1.1B", "tinyllama-1.1b"},
      {"OpenLLaMA 3B", "openllama-3b"},
      {"orca-mini:3b", "openllama-3b"},
      {"Qwen 2.5 7B", "qwen2.5-7b"},
      {"qwen2.5:0.5b", "qwen2.5-0.5b"},
      {"Qwen2.5_1.5B_Instruct", "qwen2.5-1.5b"},
      {"Qwen 2.5 Coder 14B", "qwen2.5-14b"},
      {"Qwen2.5-VL-3B-Instruct", "qwen2.5-3b"},
      {"Qwen2-VL-2B", "qwen2.5-1.5b"},
      {"QwQ-32B", "qwen2.5-32b"},
      {"qwen:7b", "qwen1.5-7b"},
      {"Qwen1.5-1.8B-Chat", "qwen1.5-1.8b"},
      {"Qwen3-32B", "qwen3-32b"},
      {"qwen3:30b-a3b", "qwen3-30b-a3b"},
      {"Qwen3-Coder-30B-A3B-Instruct", "qwen3-30b-a3b"},
      {"Qwen3-4B-Instruct-2507", "qwen3-4b"},
      {"Qwen3 VL 8B", "qwen3-8b"},
      {"Qwen3.5 9B", "qwen3.5-9b"},
      {"qwen3.5:35b-a3b", "qwen3.5-35b-a3b"},
      {"Qwen3-Next-80B-A3B", "qwen3-next-80b-a3b"},
      {"deepseek-r1:1.5b", "deepseek-r1-distill-qwen-1.5b"},
      {"DeepSeek-R1-Distill-Qwen-1.5B", "deepseek-r1-distill-qwen-1.5b"},
      {"DeepSeek R1 7B", "qwen2.5-7b"},
      {"deepseek-r1:14b", "qwen2.5-14b"},
      {"DeepSeek-R1-Distill-Llama-8B", "llama-3.1-8b"},
      {"DeepSeek-R1-0528-Qwen3-8B", "qwen3-8b"},
      {"DeepSeek-Coder 1.3B", "deepseek-coder-1.3b"},
      {"phi3", "phi-3-mini-4k"},
      {"Phi-3-medium-4k-instruct", "phi-3-medium"},
      {"phi3:14b", "phi-3-medium"},
      {"Phi 3.5 mini", "phi-3.5-mini"},
      {"phi4-mini", "phi-4-mini"},
      {"Phi-4-mini-reasoning", "phi-4-mini"},
      {"phi4", "phi-4"},
      {"Phi-4-reasoning-plus", "phi-4"},
      {"microsoft/phi-1_5", "phi-1.5"},
      {"phi:2.7b", "phi-2"},
      {"dolphin-phi", "phi-2"},
      {"Gemma 2 2B", "gemma-2-2b"},
      {"gemma2:27b", "gemma-2-27b"},
      {"gemma:2b", "gemma-2b"},
      {"CodeGemma-7B", "gemma-7b"},
      {"Gemma3 4B", "gemma-3-4b"},
      {"gemma3:27b-it-qat", "gemma-3-27b"},
      {"gemma-3-1b-it", "gemma-3-1b"},
      {"Gemma 3n E2B", "gemma-3n-e2b"},
      {"gemma3n", "gemma-3n-e4b"},
      {"Gemma-4-E2B", "gemma-4-e2b"},
      {"gemma4:26b", "gemma-4-26b-a4b"},
      {"mistral", "mistral-7b-v0.3"},
      {"Mistral 7B Instruct v0.2", "mistral-7b-v0.1"},
      {"mistral-nemo:12b", "mistral-nemo-12b"},
      {"mistral-small3.1:24b", "mistral-small-24b"},
      {"Devstral-Small-2505", "mistral-small-24b"},
      {"Codestral 22B", "mistral-small-22b"},
      {"Ministral-8B-Instruct-2410", "ministral-8b"},
      {"zephyr-7b-beta", "mistral-7b-v0.1"},
      {"OpenHermes-2.5-Mistral-7B", "mistral-7b-v0.1"},
      {"gpt-oss:20b", "gpt-oss-20b"},
      {"GPT OSS 120B", "gpt-oss-120b"},
      {"Falcon3-1B-Instruct", "falcon3-1b"},
      {"falcon3:10b", "falcon3-10b"},
      {"Granite 3.3 8B", "granite-3.1-8b"},
      {"granite3-moe:1b", "granite-3.1-1b-a400m"},
      {"OLMo-2-0425-1B", "olmo-2-1b"},
      {"OLMoE-1B-7B", "olmoe-1b-7b"},
      {"StableLM-Zephyr-3B", "stablecode-3b"},
      {"StarCoder2 3B", "starcoder2-3b"},
      {"Yi 34B", "yi-34b"},
      {"SmolLM2 135M", "smollm2-135m"},
      {"SmolVLM-500M", "smollm2-360m"},
      {"LFM2-2.6B", "lfm2-2.6b"},
      {"InternVL3-8B", "qwen2.5-7b"},
      {"internlm2_5-1_8b-chat", "internlm2-1.8b"},
      {"EXAONE-3.5-2.4B", "exaone-3.5-2.4b"},
      {"MobileLLM 125M", "mobilellm-125m"},
      {"MiniCPM4-0.5B", "minicpm4-0.5b"},
      {"Qwen3.5-122B-A10B", "qwen3.5-122b-a10b"},
      {"Pythia 1.4B", "pythia-1.4b"},
      {"facebook/opt-1.3b", "opt-1.3b"},
      {"OPT-125M", "opt-125m"},
      {"GPT-2", "gpt-2"},
      {"gpt2-xl", "gpt-2-xl"},
      {"bloom-1b7", "bloom-1.7b"},
      {"GPT-J 6B", "gpt-j-6b"},
      {"Falcon-7B-Instruct", "falcon-7b"},
      {"Falcon 3 7B", "falcon3-7b"},
      {"InternLM-7B", "internlm-7b"},
      {"internlm2.5:20b", "internlm2-20b"},
      {"Qwen1.5-32B", "qwen1.5-32b"},
      {"GLM-Z1-9B", "glm-4-9b"},
      {"GLM 4.5 Air", "glm-4.5-air"},
      {"command-r:35b", "command-r-35b"},
      {"command-r7b", "command-r7b"},
      {"Olmo-3-7B-Instruct", "olmo-3-7b"},
      {"DeepSeek-MoE-16B", "deepseek-moe-16b"},
      {"PaliGemma2-3B", "gemma-2-2b"},
      {"phi3:mini", "phi-3-mini-4k"},
      {"minicpm-llama3-v-2.5", "llama-3.1-8b"},
      {"DeepSeekR1 7B", "qwen2.5-7b"},
      {"VILA-2.7B", "sheared-llama-2.7b"},
      {"VILA1.5-8B", "llama-3.1-8b"},
      {"llava-v1.6-mistral-7b", "mistral-7b-v0.1"},
      {"llava-v1.6-vicuna-7b", "llama-2-7b"},
      {"llava-onevision-qwen2-0.5b", "qwen2.5-0.5b"},
      {"CodeQwen1.5-7B-Chat", "codeqwen1.5-7b"},
      {"Llama-3.1-Minitron-4B-Width", "llama-3.1-nemotron-nano-4b"},
      {"chatglm3", "chatglm3-6b"},
      {"Llama-3_2-1B", "llama-3.2-1b"},
      {"Phi 3 (3.8B)", "phi-3-mini-4k"},
      {"hf.co/unsloth/Qwen3-4B-GGUF:Q4_K_M", "qwen3-4b"},
  });
}

// What the rules gave before there were more of them: the calibration was fitted to these.
TEST(ModelNames, OfTheFirstFileKeepTheirShapes) {
  const Names names = {
      {"Amber-7B", "llama-2-7b"},
      {"ChatGLM3-6B", "chatglm3-6b"},
      {"Cosmos-Reason2-2B (Qwen3-VL-2B)", "qwen3-1.7b"},
      {"DeepSeek-R1-Distill-Qwen-1.5B", "deepseek-r1-distill-qwen-1.5b"},
      {"DeepSeek-R1-Distill-Qwen-14B", "qwen2.5-14b"},
      {"DeepSeek-R1-Distill-Qwen-7B", "qwen2.5-7b"},
      {"Gemma-2-2B", "gemma-2-2b"},
      {"Gemma-2-9B", "gemma-2-9b"},
      {"Gemma-3-1B", "gemma-3-1b"},
      {"Gemma-3-4B", "gemma-3-4b"},
      {"Gemma-4-E2B", "gemma-4-e2b"},
      {"InternLM2-1.8B", "internlm2-1.8b"},
      {"LFM2.5-1.2B", "lfm2.5-1.2b"},
      {"LFM2.5-350M", "lfm2.5-350m"},
      {"LLaMA-2-7B", "llama-2-7b"},
      {"LLaMA-7B", "llama-2-7b"},
      {"Llama-2-13B", "llama-2-13b"},
      {"Llama-2-70B", "llama-2-70b"},
      {"Llama-2-7B", "llama-2-7b"},
      {"Llama-3-8B", "llama-3.1-8b"},
      {"Llama-3.1-8B", "llama-3.1-8b"},
      {"Llama-3.2-1.2B", "llama-3.2-1b"},
      {"Llama-3.2-1B", "llama-3.2-1b"},
      {"Llama-3.2-3.2B", "llama-3.2-3b"},
      {"Llama-3.2-3B", "llama-3.2-3b"},
      {"MPT-7B", "mpt-7b"},
      {"Mistral-7B-v0.3", "mistral-7b-v0.3"},
      {"OLMoE-1B-7B (MoE, 1.3B active)", "olmoe-1b-7b"},
      {"Phi-3-mini-3.8B", "phi-3-mini-4k"},
      {"Phi-3-mini-4k", "phi-3-mini-4k"},
      {"Phi-3.5-mini", "phi-3.5-mini"},
      {"Phi-4-mini", "phi-4-mini"},
      {"Qwen2-0.5B", "qwen2.5-0.5b"},
      {"Qwen2-arch 7B (28 layers, 3584)", "qwen2.5-7b"},
      {"Qwen2.5-0.5B", "qwen2.5-0.5b"},
      {"Qwen2.5-1.5B", "qwen2.5-1.5b"},
      {"Qwen2.5-3B", "qwen2.5-3b"},
      {"Qwen2.5-7B", "qwen2.5-7b"},
      {"Qwen2.5-Coder-1.5B", "qwen2.5-1.5b"},
      {"Qwen3-0.6B", "qwen3-0.6b"},
      {"Qwen3-1.7B", "qwen3-1.7b"},
      {"Qwen3-4B", "qwen3-4b"},
      {"Qwen3-8B", "qwen3-8b"},
      {"SmolLM2-1.7B (size not stated)", "smollm2-1.7b"},
      {"SmolLM2-1.7B", "smollm2-1.7b"},
      {"SmolLM2-135M", "smollm2-135m"},
      {"SmolLM2-360M", "smollm2-360m"},
      {"StableCode-3B", "stablecode-3b"},
      {"TinyLlama-1.1B", "tinyllama-1.1b"},
      {"Yi-Coder-1.5B", "yi-coder-1.5b"},
      {"cogito-v1-preview Llama-8B", "llama-3.1-8b"},
  };
  expect_shapes(names);
  std::set<std::string> known;
  for (const auto& [name, shape] : names) known.insert(name);
  for (const Measurement& m : read_measurements(kPublished + "measurements.yaml").rows)
    EXPECT_TRUE(known.count(m.model) == 1 || !mapped(m.model).reason.empty()) << m.model;
}

TEST(ModelNames, OfMechanismsThatAreNotModelledAreRefusedWithTheReason) {
  for (const auto& [name, why] : Names{{"DeepSeek-V2-Lite", "latent attention"},
                                       {"MiniCPM3-4B", "latent attention"},
                                       {"GLM-4.7-Flash (MoE, 30B.A3B)", "latent attention"},
                                       {"RWKV7-1.5B", "recurrent"},
                                       {"Nemotron-3-Nano-4B", "recurrent"},
                                       {"granite-4.0-h-tiny", "recurrent"},
                                       {"SmallThinker-4B-A0.6B", "predictor"},
                                       {"Ternary-Bonsai-8B", "ternary"},
                                       {"BitNet b1.58 2B4T", "ternary"},
                                       {"Llama-3.2-11B-Vision", "not published"},
                                       {"Qwen3-5B", "no shape"}})
    EXPECT_THAT(mapped(name).reason, HasSubstr(why)) << name;
}

TEST(ModelNames, StandInsSaySo) {
  for (const char* name :
       {"Qwen3.5-4B", "Gemma-3n-E4B", "Gemma-4-E2B", "Llama-4-Scout", "Nemotron-Nano-9B-v2"})
    EXPECT_THAT(mapped(name).notes, ::testing::Contains(HasSubstr("stand-in"))) << name;
  for (const char* name : {"Qwen3-4B", "Gemma-4-31B", "LFM2-2.6B", "GLM-4.5-Air"})
    EXPECT_THAT(mapped(name).notes, Not(::testing::Contains(HasSubstr("stand-in")))) << name;
}

TEST(ModelNames, TakeOllamasDeepSeekR1OfTheVersionsTime) {
  EXPECT_EQ(mapped("deepseek-r1:8b", "Ollama 0.6.2").request.model, "llama-3.1-8b");
  EXPECT_EQ(mapped("DeepSeek-R1-8B", "Ollama 0.31.2").request.model, "qwen3-8b");
  EXPECT_EQ(mapped("DeepSeek-R1-8B", "Ollama v0.9.0").request.model, "qwen3-8b");
  EXPECT_EQ(mapped("DeepSeek-R1-8B", "llama.cpp").request.model, "llama-3.1-8b");
}

}  // namespace
}  // namespace edgenpu::evidence
