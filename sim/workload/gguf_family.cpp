#include "workload/gguf_family.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "workload/gguf_cursor.h"

namespace edgenpu::workload {

namespace {

constexpr auto kNorm = RopeShape::Pairing::norm, kNeox = RopeShape::Pairing::neox;
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
};

}  // namespace

std::vector<std::string> gguf_architectures() {
  std::vector<std::string> names;
  for (const GgufFamily& f : kFamilies) names.emplace_back(f.name);
  return names;
}

const GgufFamily& gguf_family(const GgufFile& file) {
  const std::string key = "general.architecture";
  const std::optional<std::string> name = file.text(key);
  if (!name) file.refuse(key, "is missing");
  for (const GgufFamily& f : kFamilies)
    if (*name == f.name) return f;
  file.refuse(
      key, fmt::format("{} is not known: which of its tensors a step reads, and with which window and "
                       "activation, would be guessed; known: {}{}; the way on: describe its shape in "
                       "a model YAML (models/) and give --quant",
                       quoted(*name), join(gguf_architectures()), did_you_mean(*name, gguf_architectures())));
}

}  // namespace edgenpu::workload
