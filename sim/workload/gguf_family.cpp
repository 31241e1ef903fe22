#include "workload/gguf_family.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "workload/gguf_cursor.h"

namespace edgenpu::workload {

namespace {

constexpr auto kNorm = RopeShape::Pairing::norm, kNeox = RopeShape::Pairing::neox;
using Norms = GgufFamily::Norms;
constexpr auto kSilu = Activation::Function::silu, kGelu = Activation::Function::gelu;

constexpr GgufFamily kFamilies[] = {
    {"llama", kNorm},
    {"mistral", kNorm},
    {"minicpm", kNorm},
    {"granite", kNorm},
    {"smollm3", kNorm},
    {"chatglm", kNorm},
    {"qwen2", kNeox, kSilu, false, false, 0, 0, false},
    {"qwen2moe", kNeox, kSilu, false, false, 0, 0, false},
    {"qwen3", kNeox, kSilu, false, false, 0, 0, false},
    {"qwen3moe", kNeox, kSilu, false, false, 0, 0, false},
    {"olmoe", kNeox},
    {"phi2", kNeox, kGelu, true, true},
    {"phi3", kNeox},
    {"gemma", kNeox, kGelu},
    {"gemma2", kNeox, kGelu, false, false, 4096, 2},
    {"gemma3", kNeox, kGelu, false, false, 0, 6},
    {"arcee", kNorm, kGelu},
    {"baichuan", kNorm},
    {"bailingmoe2", kNeox},
    {"cohere2", kNorm, kSilu, true, true, 4096, 4},
    {"command-r", kNorm, kSilu, true, true},
    {"deepseek", kNorm},
    {"ernie4_5", kNorm},
    {"ernie4_5-moe", kNorm},
    {"exaone", kNeox},
    {"exaone4", kNeox, kSilu, false, false, 0, 4, true, Norms::post_only},
    {"falcon", kNeox, kGelu, true, true},
    {"glm4", kNorm},
    {"glm4moe", kNeox, kSilu, false, false, 0, 0, true, Norms::post_is_ffn},
    {"gpt-oss", kNeox, kSilu, false, false, 0, 2, true, Norms::post_is_ffn},
    {"gpt2", kNeox, kGelu, true},
    {"gptneox", kNeox, kGelu, true},
    {"granitemoe", kNorm},
    {"hunyuan-dense", kNeox},
    {"hunyuan-moe", kNeox},
    {"internlm2", kNorm},
    {"lfm2", kNeox, kSilu, false, false, 0, 0, true, Norms::embedding_out},
    {"lfm2moe", kNeox, kSilu, false, false, 0, 0, true, Norms::embedding_out},
    {"llama4", kNorm, kSilu, false, false, 8192, 4},
    {"minimax-m2", kNeox},
    {"mistral3", kNorm},
    {"mpt", kNeox, kGelu, true},
    {"nemotron", kNeox, kGelu, true},
    {"olmo2", kNeox, kSilu, false, false, 0, 4, true, Norms::post_only},
    {"phimoe", kNeox, kSilu, true},
    {"seed_oss", kNeox, kSilu, false, false, 0, 0, true, Norms::post_is_ffn},
    {"stablelm", kNeox, kSilu, true},
    {"starcoder2", kNeox, kGelu, true},
};

std::string replaced(const std::string& name, const std::string& from, const std::string& to) {
  const std::size_t at = name.find(from);
  return at == std::string::npos ? name : name.substr(0, at) + to + name.substr(at + from.size());
}

// Files of other kinds that share the container.
void refuse_other_kinds(const GgufFile& file) {
  const std::string type = file.text("general.type").value_or("model"),
                    arch = file.text("general.architecture").value_or("");
  const auto fail = [&](const char* what) { throw InputError(Position{file.source()}, what); };
  if (type == "adapter" || file.metadata().count("adapter.type") > 0)
    fail("a LoRA adapter, which changes a model and is none: give the GGUF file of the model itself");
  if (type == "imatrix" || file.metadata().count("imatrix.chunk_count") > 0)
    fail("an importance matrix, which a quantiser reads: give the GGUF file of the model itself");
  if (type == "mmproj" || arch == "clip")
    fail("a projector of images or sound: give the GGUF file of the language model beside it");
  if (type == "vocab" || arch == "controlvector")
    fail("a vocabulary or a control vector, not a model: give the GGUF file of the model itself");
}

}  // namespace

std::string common_name(const GgufFamily& family, const std::string& name) {
  switch (family.norms) {
    case Norms::plain:
      return name;
    case Norms::post_is_ffn:
      return replaced(name, ".post_attention_norm.", ".ffn_norm.");
    case Norms::post_only:
      return replaced(replaced(name, ".post_attention_norm.", ".attn_norm."), ".post_ffw_norm.",
                      ".ffn_norm.");
    case Norms::embedding_out:
      return replaced(name, "token_embd_norm.", "output_norm.");
  }
  return name;
}

std::vector<std::string> gguf_architectures() {
  std::vector<std::string> names;
  for (const GgufFamily& f : kFamilies) names.emplace_back(f.name);
  return names;
}

const GgufFamily& gguf_family(const GgufFile& file) {
  refuse_other_kinds(file);
  const std::string key = "general.architecture";
  const std::optional<std::string> name = file.text(key);
  if (!name) file.refuse(key, "is missing");
  for (const GgufFamily& f : kFamilies)
    if (*name == f.name) return f;
  file.refuse(key,
              fmt::format("{} is not known: which of its tensors a step reads, and with which window and "
                          "activation, would be guessed; known: {}; the way on: describe its shape in "
                          "a model YAML (models/) and give --quant",
                          in_quotes(*name), join(gguf_architectures())));
}

}  // namespace edgenpu::workload
