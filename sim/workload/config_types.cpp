#include "workload/config_types.h"

namespace edgenpu::workload {
namespace {

using T = ConfigType;
constexpr auto kNorm = RopeShape::Pairing::norm, kNeox = RopeShape::Pairing::neox;
constexpr std::uint32_t kGemma = T::tied | T::gelu;

// Defaults: vocab, hidden, ffn, layers, heads, KV heads, head_dim, window, each n-th is global, positions,
// share of a head that turns.
// clang-format off
constexpr ConfigType kTypes[] = {
    {"llama",       "llama",   kNorm, T::bias_key | T::mlp_bias_key,   {32000, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"mistral",     "llama",   kNorm, T::windows,                      {32000, 4096, 14336, 32, 32, 8, 0, 4096, 0, 131072}},
    {"ministral",   "llama",   kNorm, T::windows,                      {32000, 4096, 14336, 32, 32, 8, 0, 4096, 0, 131072}},
    {"ministral3",  "mistral3", kNorm, T::windows,                     {131072, 4096, 14336, 34, 32, 8, 128, 0, 0, 262144}},
    {"mixtral",     "llama",   kNorm, T::windows | T::experts,         {32000, 4096, 14336, 32, 32, 8, 0, 0, 0, 131072}},
    {"qwen2",       "qwen2",   kNeox, T::qkv_bias | T::window_flag,    {151936, 4096, 22016, 32, 32, 32, 0, 4096, 0, 32768}},
    {"qwen2_vl_text", "qwen2", kNeox, T::qkv_bias | T::window_flag,    {152064, 8192, 29568, 80, 64, 8, 0, 4096, 0, 32768}},
    {"qwen2_5_vl_text", "qwen2", kNeox, T::qkv_bias | T::window_flag,  {152064, 8192, 29568, 80, 64, 8, 0, 4096, 0, 32768}},
    {"qwen2_moe",   "qwen2moe", kNeox, T::qkv_bias | T::window_flag | T::experts, {151936, 2048, 5632, 24, 16, 16, 0, 4096, 0, 32768}},
    {"qwen3",       "qwen3",   kNeox, T::bias_key | T::head_norm | T::window_flag, {151936, 4096, 22016, 32, 32, 32, 128, 4096, 0, 32768}},
    {"qwen3_vl_text", "qwen3", kNeox, T::bias_key | T::head_norm,      {151936, 4096, 22016, 32, 32, 32, 128, 0, 0, 128000}},
    {"qwen3_moe",   "qwen3moe", kNeox, T::bias_key | T::head_norm | T::window_flag | T::experts, {151936, 2048, 6144, 24, 32, 4, 0, 4096, 0, 32768}},
    {"qwen3_vl_moe_text", "qwen3moe", kNeox, T::bias_key | T::head_norm | T::experts, {151936, 2048, 5632, 24, 16, 16, 0, 0, 0, 128000}},
    {"mimo",        "qwen2",   kNeox, T::qkv_bias_key | T::bias_default | T::window_flag, {0, 0, 0, 0, 0, 0, 0, 4096, 0, 32768}},
    {"olmo",        "olmo",    kNorm, T::bias_key,                     {50304, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"olmo2",       "olmo2",   kNeox, T::bias_key | T::full_norm,      {100278, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"olmo3",       "olmo2",   kNeox, T::bias_key | T::full_norm | T::windows, {50304, 4096, 11008, 32, 32, 0, 0, 4096, 4, 2048}},
    {"olmoe",       "olmoe",   kNeox, T::bias_key | T::full_norm | T::experts, {50304, 2048, 2048, 16, 16, 0, 0, 0, 0, 4096}},
    {"phi",         "phi2",    kNeox, T::layer_norm | T::all_bias | T::qkv_bias | T::parallel | T::plain_ffn | T::gelu | T::fused_qkv, {51200, 2048, 8192, 24, 32, 0, 0, 0, 0, 2048, 0.5}},
    {"phi3",        "phi3",    kNeox, T::fused_qkv | T::fused_gate_up | T::windows, {32064, 3072, 8192, 32, 32, 0, 0, 0, 0, 4096}},
    {"phimoe",      "phimoe",  kNeox, T::bias_key | T::layer_norm | T::windows | T::experts, {32064, 4096, 6400, 32, 32, 8, 0, 0, 0, 131072}},
    {"gemma",       "gemma",   kNeox, kGemma | T::bias_key,            {256000, 3072, 24576, 28, 16, 16, 256, 0, 0, 8192}},
    {"gemma2",      "gemma2",  kNeox, kGemma | T::bias_key | T::post_norms | T::windows, {256000, 2304, 9216, 26, 8, 4, 256, 4096, 2, 8192}},
    {"gemma3_text", "gemma3",  kNeox, kGemma | T::bias_key | T::post_norms | T::head_norm | T::windows, {262208, 2304, 9216, 26, 8, 4, 256, 4096, 6, 131072}},
    {"gemma4_text", "gemma4",  kNeox, kGemma | T::bias_key | T::post_norms | T::head_norm | T::windows | T::global_heads | T::wide_shared | T::may_have_experts, {262144, 2304, 9216, 30, 8, 4, 256, 512, 6, 131072}},
    {"gpt_oss",     "gpt-oss", kNeox, T::bias_key | T::bias_default | T::sinks | T::windows | T::experts, {201088, 2880, 2880, 36, 64, 8, 64, 128, 2, 131072}},
    {"granite",     "granite", kNorm, T::bias_key | T::mlp_bias_key,   {32000, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"granitemoe",  "granitemoe", kNorm, T::bias_key | T::experts,     {32000, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"granitemoehybrid", "granite", kNorm, T::bias_key | T::may_have_experts, {32000, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"smollm3",     "smollm3", kNorm, T::tied | T::bias_key | T::mlp_bias_key | T::window_flag, {128256, 2048, 11008, 36, 16, 4, 0, 0, 0, 32768}},
    {"minicpm",     "minicpm", kNorm, T::bias_key | T::tied},
    {"stablelm",    "stablelm", kNeox, T::layer_norm,                  {50304, 2560, 6912, 32, 32, 32, 0, 0, 0, 4096, 0.25}},
    {"starcoder2",  "starcoder2", kNeox, T::layer_norm | T::plain_ffn | T::gelu | T::tied | T::use_bias_key | T::bias_default | T::windows, {49152, 3072, 12288, 30, 24, 2, 0, 0, 0, 4096}},
    {"cohere",      "command-r", kNorm, T::tied | T::layer_norm | T::bias_key | T::parallel, {256000, 8192, 22528, 40, 64, 0, 0, 0, 0, 8192}},
    {"cohere2",     "cohere2", kNorm, T::tied | T::layer_norm | T::bias_key | T::parallel | T::windows, {256000, 8192, 22528, 40, 64, 0, 0, 4096, 4, 8192}},
    {"glm",         "chatglm", kNorm, T::qkv_bias_key | T::fused_gate_up, {151552, 4096, 13696, 40, 32, 2, 128, 0, 0, 131072, 0.5}},
    {"glm4",        "glm4",    kNorm, T::qkv_bias_key | T::fused_gate_up | T::post_norms, {151552, 4096, 13696, 40, 32, 2, 128, 0, 0, 131072, 0.5}},
    {"glm4_moe",    "glm4moe", kNeox, T::qkv_bias_key | T::experts,    {151552, 4096, 10944, 46, 96, 8, 128, 0, 0, 131072, 0.5}},
    {"ernie4_5",    "ernie4_5", kNorm, T::tied | T::use_bias_key,      {103424, 1024, 3072, 18, 16, 2, 128, 0, 0, 131072}},
    {"ernie4_5_moe", "ernie4_5-moe", kNorm, T::tied | T::use_bias_key | T::experts, {103424, 2560, 12288, 28, 20, 4, 0, 0, 0, 131072}},
    {"exaone",      "exaone",  kNeox, 0},
    {"exaone4",     "exaone4", kNeox, T::head_norm | T::windows,       {102400, 4096, 16384, 32, 32, 32, 0, 4096, 4, 2048}},
    {"seed_oss",    "seed_oss", kNeox, T::qkv_bias_key | T::bias_default | T::mlp_bias_key, {155136, 4096, 27648, 64, 80, 8, 128, 0, 0, 524288}},
    {"hunyuan_v1_dense", "hunyuan-dense", kNeox, T::bias_key | T::head_norm, {290943, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"hunyuan_v1_moe", "hunyuan-moe", kNeox, T::bias_key | T::head_norm | T::experts, {290943, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"internlm2",   "internlm2", kNorm, 0,                             {103168, 4096, 11008, 32, 32, 0, 0, 0, 0, 2048}},
    {"internlm3",   "internlm3", kNorm, 0,                             {128512, 4096, 11008, 32, 32, 0, 0, 0, 0, 32768}},
    {"minimax_m2",  "minimax-m2", kNeox, T::full_norm | T::experts},
    {"bailing_moe_v2", "bailingmoe2", kNeox, T::head_norm | T::experts},
    {"deepseek",    "deepseek", kNorm, T::bias_key | T::experts},
    {"llama4_text", "llama4",  kNorm, T::bias_key | T::experts | T::chunks, {202048, 5120, 8192, 48, 40, 8, 128, 8192, 4, 131072}},
    {"lfm2",        "lfm2",    kNeox, T::tied | T::head_norm | T::short_conv, {65536, 2560, 12288, 32, 32, 8, 0, 0, 0, 128000}},
    {"lfm2_moe",    "lfm2moe", kNeox, T::tied | T::head_norm | T::short_conv | T::experts, {65536, 2048, 7168, 32, 32, 8, 0, 0, 0, 128000}},
    {"chatglm",     "chatglm", kNorm, T::fused_qkv | T::fused_gate_up | T::qkv_bias, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 20, 0.5}},
    {"gpt2",        "gpt2",    kNeox, T::tied | T::layer_norm | T::all_bias | T::qkv_bias | T::plain_ffn | T::gelu | T::fused_qkv, {50257, 768, 0, 12, 12, 0, 0, 0, 0, 1024}},
    {"gpt_neox",    "gptneox", kNeox, T::layer_norm | T::all_bias | T::qkv_bias | T::plain_ffn | T::gelu | T::fused_qkv, {50432, 6144, 24576, 44, 64, 0, 0, 0, 0, 2048, 0.25}},
};

// Types that hold a language model beside towers for images or sound; the part's type where it says none.
constexpr struct { const char *type, *section, *fallback; } kWrappers[] = {
    {"aya_vision", "text_config", "cohere2"},
    {"gemma3", "text_config", "gemma3_text"},
    {"gemma4", "text_config", "gemma4_text"},
    {"glm4v", "text_config", "glm4"},
    {"idefics3", "text_config", "llama"},
    {"internvl", "text_config", "qwen2"},
    {"internvl_chat", "llm_config", ""},
    {"lfm2_vl", "text_config", "lfm2"},
    {"lfm2-vl", "text_config", "lfm2"},
    {"llama4", "text_config", "llama4_text"},
    {"llava", "text_config", "llama"},
    {"llava_next", "text_config", "llama"},
    {"llava_onevision", "text_config", "qwen2"},
    {"mistral3", "text_config", "mistral"},
    {"paligemma", "text_config", "gemma"},
    {"qwen2_5_vl", "text_config", "qwen2_5_vl_text"},
    {"qwen2_audio", "text_config", "qwen2"},
    {"qwen2_vl", "text_config", "qwen2_vl_text"},
    {"qwen3_vl", "text_config", "qwen3_vl_text"},
    {"qwen3_vl_moe", "text_config", "qwen3_vl_moe_text"},
    {"smolvlm", "text_config", "llama"},
    {"vipllava", "text_config", "llama"},
    {"voxtral", "text_config", "llama"},
};
// clang-format on

}  // namespace

const ConfigType* config_type(const std::string& model_type) {
  for (const ConfigType& t : kTypes)
    if (model_type == t.model_type) return &t;
  return nullptr;
}

std::vector<std::string> config_type_names() {
  std::vector<std::string> names;
  for (const ConfigType& t : kTypes) names.emplace_back(t.model_type);
  for (const auto& w : kWrappers) names.emplace_back(w.type);
  return names;
}

std::string text_part(const std::string& wrapper_type, std::string& fallback) {
  for (const auto& w : kWrappers) {
    if (wrapper_type != w.type) continue;
    fallback = w.fallback;
    return w.section;
  }
  return "";
}

}  // namespace edgenpu::workload
