// config.json: every key is read, known to change nothing, or refused; and what files say of their weights.
#include <gmock/gmock.h>
#include <iostream>

#include "support.h"
#include "support/leaves.h"
#include "workload/generate.h"
#include "workload/import_config.h"
#include "workload/tensors.h"

namespace edgenpu::workload {
namespace {

using testing::HasSubstr;
using testing::Not;

config::Value parsed(const std::string& text) {
  return config::parse_text(text, "config.json");
}

Model read(const std::string& text) {
  return import_config(parsed(text), kDataDir);
}

std::string refusal(const std::string& text) {
  return message_of<InputError>([&] { read(text); });
}

std::string quant_refusal(const std::string& text) {
  return message_of<InputError>([&] { config_quant(parsed(text)); });
}

std::int64_t resident(const std::string& text, const std::string& quant = "F16") {
  return generate_decode(store(read(text), quant), 10).resident_weights.count();
}

// `{...}` with further keys.
std::string with(const std::string& base, const std::string& keys) {
  return base.substr(0, base.rfind('}')) + "," + keys + "}";
}

const std::string kLlama =
    R"({"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,)"
    R"("num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256})";
const std::string kQwenMoe =
    R"({"model_type":"qwen3_moe","hidden_size":2048,"intermediate_size":6144,"moe_intermediate_size":768,)"
    R"("num_attention_heads":32,"num_key_value_heads":4,"num_hidden_layers":48,"num_experts":128,"head_dim":128,)"
    R"("num_experts_per_tok":8,"vocab_size":151936,"max_position_embeddings":40960})";
const std::string kGemma3 =
    R"({"model_type":"gemma3","text_config":{"hidden_size":2560,"intermediate_size":10240,)"
    R"("model_type":"gemma3_text","num_hidden_layers":34,"rope_scaling":{"factor":8.0,"rope_type":"linear"},)"
    R"("sliding_window":1024}})";

// google/gemma-3-4b-it as published: huggingface/transformers#36683.
TEST(Config, TakesFromItsClassWhatASparseTextPartLeavesOut) {
  EXPECT_EQ(parameters(read(kGemma3)), 3'880'263'168);
  EXPECT_EQ(resident(kGemma3), 7'761'262'592);
}

// google/paligemma-3b-pt-224, llava-hf/llava-1.5-7b-hf, mistralai/Mistral-Small-3.1-24B: the text parts.
TEST(Config, ReadsTheTextPartOfFilesWithTowers) {
  const Model paligemma =
      read(R"({"model_type":"paligemma","hidden_size":2048,"image_token_index":257152,"projection_dim":2048,)"
           R"("text_config":{"hidden_size":2048,"intermediate_size":16384,"model_type":"gemma",)"
           R"("num_attention_heads":8,"num_hidden_layers":18,"num_image_tokens":256,"num_key_value_heads":1,)"
           R"("vocab_size":257216},"vision_config":{"hidden_size":1152},"vocab_size":257216})");
  EXPECT_EQ(paligemma.head_dim, 256);
  EXPECT_EQ(parameters(paligemma), 2'508'662'784);  // gemma-2b with 1,216 tokens more
  const Model llava = read(
      R"({"model_type":"llava","text_config":{"model_type":"llama","max_position_embeddings":4096,)"
      R"("vocab_size":32064},"vision_config":{},"vision_feature_layer":-2,"tie_word_embeddings":false})");
  EXPECT_EQ(parameters(llava), 6'738'939'904);
  const Model mistral =
      read(R"({"model_type":"mistral3","spatial_merge_size":2,"text_config":{"model_type":"mistral",)"
           R"("head_dim":128,"hidden_size":5120,"intermediate_size":32768,"num_hidden_layers":40,)"
           R"("sliding_window":null,"vocab_size":131072}})");
  EXPECT_EQ(mistral.kv_heads, 8);
  EXPECT_FALSE(mistral.window);
  EXPECT_EQ(parameters(mistral), 23'572'403'200);
}

TEST(Config, TakesTheWrappersWordOnTiedEmbeddingsFirst) {
  const std::string inner = R"("text_config":{"model_type":"llama","tie_word_embeddings":false})";
  EXPECT_TRUE(read(R"({"model_type":"llava","tie_word_embeddings":true,)" + inner + "}").tied_embeddings);
  EXPECT_FALSE(read(R"({"model_type":"llava",)" + inner + "}").tied_embeddings);
}

TEST(Config, ReadsWhichLayersHaveNoExperts) {
  EXPECT_EQ(resident(kQwenMoe), 61'089'832'960);
  EXPECT_EQ(resident(with(kQwenMoe, R"("mlp_only_layers":[0,1,2,3])")), 56'555'790'336);
  EXPECT_EQ(resident(with(kQwenMoe, R"("decoder_sparse_step":2)")), 33'885'577'216);
}

TEST(Config, ReadsTheKindOfEveryLayer) {
  std::string kinds;
  for (int i = 0; i < 34; ++i)
    kinds += std::string(i > 0 ? "," : "") + (i % 2 ? "\"full_attention\"" : "\"sliding_attention\"");
  std::string text = kGemma3;
  text.insert(text.find("\"sliding_window\""), "\"layer_types\":[" + kinds + "],");
  const auto kv = [](const std::string& t) {
    return generate_decode(store(read(t), "F16"), 8191).resident_kv.count();
  };
  EXPECT_EQ(kv(kGemma3), (5 * 8192 + 29 * 1024) * 4096);
  EXPECT_EQ(kv(text), (17 * 8192 + 17 * 1024) * 4096);
  EXPECT_THAT(
      refusal(
          R"({"model_type":"gemma3_text","num_hidden_layers":2,"layer_types":["mamba","full_attention"]})"),
      HasSubstr("layers of the kind 'mamba' are not modelled for this type"));
  EXPECT_THAT(
      refusal(R"({"model_type":"gemma3_text","num_hidden_layers":2,"layer_types":["full_attention"]})"),
      HasSubstr("has 1 items for 2 layers"));
}

TEST(Config, CountsBiases) {
  const std::int64_t plain = parameters(read(kLlama));
  EXPECT_EQ(parameters(read(with(kLlama, R"("mlp_bias":true)"))) - plain, 32 * (2 * 14336 + 4096));
  EXPECT_EQ(parameters(read(with(kLlama, R"("attention_bias":true)"))) - plain,
            32 * (4096 + 2 * 1024 + 4096));
}

// Each of these was passed over once, with other bytes than the model has.
TEST(Config, RefusesKeysThatItDoesNotRead) {
  EXPECT_THAT(
      refusal(with(kLlama, "\n\"kv_lora_rank\": 512")),
      HasSubstr("config.json:2:1: 'kv_lora_rank' is not read of model_type 'llama', and whether it changes "
                "bytes or work is not known"));
  EXPECT_THAT(refusal(with(kLlama, R"("num_local_experts":8)")),
              HasSubstr("'num_local_experts' is not read"));
  EXPECT_THAT(refusal(with(kLlama, R"("num_key_value_head":4)")),
              HasSubstr("did you mean 'num_key_value_heads'?"));
  EXPECT_THAT(refusal(with(kLlama, R"("n_layer":40)")),
              HasSubstr("'n_layer': 40, and 'num_hidden_layers' says 32"));
  EXPECT_THAT(refusal(R"({"model_type":"phi","qk_layernorm":true})"), HasSubstr("'qk_layernorm': 'true'"));
  EXPECT_EQ(refusal(R"({"model_type":"phi","qk_layernorm":false})"), "");
  EXPECT_EQ(refusal(with(kLlama, R"("kv_lora_rank":null,"bos_token_id":[1,2],"torch_dtype":"bfloat16")")),
            "");
  EXPECT_THAT(refusal(with(kGemma3, R"("cross_attention_layers":[3])")),
              HasSubstr("'cross_attention_layers' is not read of model_type 'gemma3'"));
}

TEST(Config, ReadsTheSizeOfExpertsWhereTheClassHasIt) {
  const std::string phi =
      R"({"model_type":"phimoe","hidden_size":64,"intermediate_size":128,"num_hidden_layers":2,)"
      R"("num_attention_heads":4,"num_key_value_heads":2,"vocab_size":256,"num_local_experts":4,)"
      R"("num_experts_per_tok":2})";
  EXPECT_EQ(read(phi).moe->expert_ffn, 128);
  EXPECT_THAT(refusal(with(phi, R"("moe_intermediate_size":32)")), HasSubstr("'moe_intermediate_size'"));
  EXPECT_THAT(refusal(R"({"model_type":"gpt_oss","num_experts_per_tok":4})"),
              testing::AllOf(HasSubstr("lacks the key 'num_local_experts'"), Not(HasSubstr("chosen among"))));
}

// Whatever key of a file is changed, the model changes, or the file is refused, or the key is one of those
// that are known to change nothing.
TEST(Config, HasNoKeyThatIsPassedOver) {
  for (const std::string& base :
       {kLlama, with(kQwenMoe, R"("decoder_sparse_step":2)"),
        std::string(
            R"({"model_type":"gemma3_text","hidden_size":1152,"intermediate_size":6912,"head_dim":256,)"
            R"("num_attention_heads":4,"num_hidden_layers":26,"num_key_value_heads":2,"vocab_size":262144,)"
            R"("sliding_window":512,"sliding_window_pattern":6,"tie_word_embeddings":true})"),
        std::string(
            R"({"model_type":"qwen2_moe","num_experts":60,"num_experts_per_tok":4,"hidden_size":2048,)"
            R"("moe_intermediate_size":1408,"shared_expert_intermediate_size":5632,"num_hidden_layers":24,)"
            R"("num_attention_heads":16,"num_key_value_heads":16,"vocab_size":151936})")}) {
    const test::Probe step = [](const config::Value& v) {
      const Trace t = generate_decode(store(import_config(v, kDataDir), "F16"), 3000, 2);
      return std::to_string(requested_read(t).count()) + " " + std::to_string(t.resident_weights.count()) +
             " " + std::to_string(t.resident_kv.count()) + " " + std::to_string(total_macs(t).count()) + " " +
             std::to_string(t.positions);
    };
    const test::Tally tally =
        test::change_leaves(parsed(base), {step}, [](const std::string&) { return false; });
    std::cout << tally.text("config.json") << std::endl;
    EXPECT_THAT(tally.dead, ::testing::IsEmpty());
  }
}

TEST(Config, NamesTheFilesOfModelsForATypeThatIsNotRead) {
  const std::string next =
      refusal(R"({"model_type":"qwen3_next","hidden_size":2048,"num_hidden_layers":48})");
  EXPECT_THAT(next, HasSubstr("model_type 'qwen3_next' is not read"));
  EXPECT_THAT(next, HasSubstr("--model with what models/ has of this architecture: qwen3-next-80b-a3b"));
  for (const char* type : {"qwen3_next", "mamba2", "glm4_moe_lite", "olmo_hybrid", "llama5", "qwen3_6"})
    EXPECT_THAT(refusal(std::string(R"({"model_type":")") + type + "\"}"), Not(HasSubstr("did you mean")))
        << type;
  EXPECT_THAT(refusal(R"({"model_type":"mamba2"})"), HasSubstr("describe its shape in a model YAML"));
}

TEST(Config, RefusesMlcsFileInOneSentence) {
  const std::string message =
      refusal(R"({"model_type":"llama","quantization":"q4f16_1","model_config":{"hidden_size":2048}})");
  EXPECT_THAT(message, HasSubstr("a configuration of MLC"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

TEST(Config, ChoosesTheMixtureThatTheFileNames) {
  const auto quant = [](const std::string& section) {
    return config_quant(parsed(R"({"model_type":"llama","quantization_config":)" + section + "}"));
  };
  EXPECT_EQ(config_quant(parsed(kLlama)), "");
  EXPECT_EQ(quant(R"({"quant_method":"awq","bits":4,"group_size":128})"), "awq");
  EXPECT_EQ(quant(R"({"quant_method":"gptq","bits":4,"group_size":128,"sym":true})"), "w4a16");
  EXPECT_EQ(quant(R"({"quant_method":"gptq","bits":4,"group_size":128,"sym":false})"), "awq");
  EXPECT_EQ(quant(R"({"quant_method":"mxfp4"})"), "mxfp4");
  EXPECT_EQ(quant(R"({"quant_method":"bitsandbytes","load_in_8bit":true})"), "w8a8");
  EXPECT_EQ(quant(R"({"quant_method":"modelopt","quant_algo":"NVFP4","ignore":["lm_head"]})"), "nvfp4");
  EXPECT_EQ(quant(R"({"quant_method":"compressed-tensors","ignore":["lm_head"],"config_groups":{"group_0":)"
                  R"({"weights":{"num_bits":8,"type":"int","strategy":"channel"}}}})"),
            "w8a8");
  EXPECT_EQ(resident(kLlama, "awq"), 5'728'387'072);
}

TEST(Config, ChoosesTheMixtureThatModelOptsFileBesideItNames) {
  const auto quant = [](const std::string& section) {
    return modelopt_quant(parsed(R"({"producer":{"name":"modelopt"},"quantization":)" + section + "}"));
  };
  EXPECT_EQ(quant(R"({"quant_algo":"NVFP4","kv_cache_quant_algo":"FP8","group_size":16,)"
                  R"("exclude_modules":["lm_head"]})"),
            "nvfp4");
  EXPECT_EQ(quant(R"({"quant_algo":"W4A16_AWQ","group_size":128,"has_zero_point":false,)"
                  R"("pre_quant_scale":true,"exclude_modules":["lm_head"]})"),
            "w4a16");
  EXPECT_EQ(quant(R"({"quant_algo":null,"kv_cache_quant_algo":"FP8"})"), "F16");
}

TEST(Config, RefusesWhatModelOptsFileNamesAndNoMixtureHasByItsKey) {
  const auto message = [](const std::string& section) {
    return message_of<InputError>(
        [&] { modelopt_quant(parsed("{\n\"quantization\": {\n" + section + "}}")); });
  };
  EXPECT_THAT(
      message(R"("quant_algo": "FP8", "kv_cache_quant_algo": "FP8")"),
      HasSubstr("config.json:3:15: 'quantization' describes weights that no mixture is known to have (8-bit "
                "floats"));
  EXPECT_THAT(message(R"("quant_algo": "MIXED_PRECISION", "quantized_layers": {})"),
              HasSubstr("config.json:3:15: "));
  for (const char* section :
       {R"("quant_algo": "NVFP4", "group_size": 32)", R"("quant_algo": "W4A16_AWQ", "group_size": 64)",
        R"("quant_algo": "FP8_PB_WO")",
        R"("quant_algo": "NVFP4", "group_size": 16, "exclude_modules": ["model.layers.3.self_attn*"])"})
    EXPECT_THAT(message(section), HasSubstr("give --quant: ")) << section;
  EXPECT_THAT(message_of<InputError>([] { modelopt_quant(parsed("{}")); }),
              HasSubstr("'quantization' is missing"));
}

TEST(Config, AsksForAMixtureWhereNoneHoldsWhatTheFileSays) {
  for (const char* section :
       {R"({"quant_method":"awq","bits":4,"group_size":64})",
        R"({"quant_method":"gptq","bits":8,"group_size":128})",
        R"({"quant_method":"fp8","weight_block_size":[128,128]})", R"({"quant_algo":"FP8"})",
        R"({"quant_method":"bitsandbytes","load_in_4bit":true,"bnb_4bit_quant_type":"nf4"})",
        R"({"quant_method":"hqq"})",
        R"({"quant_algo":"NVFP4","ignore":["lm_head","model.layers.0.self_attn*"]})",
        R"({"quant_algo":"MIXED_PRECISION"})", "{}"})
    EXPECT_THAT(quant_refusal(std::string(R"({"model_type":"llama","quantization_config":)") + section + "}"),
                HasSubstr("give --quant: "))
        << section;
  EXPECT_THAT(quant_refusal(R"({"model_type":"llama","quantization":{"bits":4,"group_size":64}})"),
              HasSubstr("q4f16 has the bytes of 4 bits in groups of 64"));
}

TEST(Config, IsJson) {
  const config::Value v = parsed(R"({"model_type":"llama","x":"\ud83d\ude00 \\ud83d\\ude00"})");
  EXPECT_EQ(v.find("x")->text(), "\xF0\x9F\x98\x80 \\ud83d\\ude00");
  EXPECT_THAT(message_of<InputError>([] { parsed("{\"a\": [1, 2}"); }), HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace edgenpu::workload
