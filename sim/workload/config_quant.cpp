// The mixture that a config.json's own description of its weights names.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/suggest.h"
#include "workload/config_keys.h"
#include "workload/import_config.h"
#include "workload/mixture.h"

namespace edgenpu::workload {
namespace {

using config::Value;

class QuantReader {
 public:
  QuantReader(const Value& section, const std::string& where) : section_(section), where_(where) {}

  std::string read() const {
    const std::string method = lower(text("quant_method")), algorithm = lower(text("quant_algo"));
    if (method == "awq") return groups("bits", "group_size", !is_false("zero_point"));
    if (method == "gptq" || method == "auto-round" || method == "intel/auto-round")
      return groups("bits", "group_size", is_false("sym"));
    if (method == "mxfp4") return "mxfp4";
    if (method == "bitsandbytes") return bits_and_bytes();
    if (method == "compressed-tensors" || method == "compressed_tensors") return compressed();
    if (algorithm == "nvfp4") return nvfp4();
    if (algorithm == "w4a16_awq") return modelopt_int4();
    if (algorithm.find("fp8") != std::string::npos || method.find("fp8") != std::string::npos)
      refuse_algorithm("8-bit floats; there is no such format, w8a8 has their bytes as integers");
    if (!algorithm.empty()) refuse_algorithm(algorithm + " of ModelOpt");
    if (method.empty()) refuse("no quant_method");
    refuse("the method " + method);
  }

 private:
  static std::string lower(std::string word) {
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    return word;
  }

  const Value* find(const std::string& path) const { return config::find_path(section_, path); }
  std::string text(const std::string& path) const {
    const Value* v = find(path);
    return v && v->is_scalar() ? v->text() : "";
  }
  bool is_false(const std::string& path) const { return lower(text(path)) == "false"; }
  bool is_true(const std::string& path) const { return lower(text(path)) == "true"; }

  [[noreturn]] void refuse(const std::string& what) const { refuse_at(section_.position(), what); }
  // Where the method has a name of its own.
  [[noreturn]] void refuse_algorithm(const std::string& what) const {
    const Value* named = find("quant_algo");
    refuse_at(named ? named->position() : section_.position(), what);
  }
  [[noreturn]] void refuse_at(const Position& where, const std::string& what) const {
    throw InputError(
        where, fmt::format("'{}' describes weights that no mixture is known to have ({}); give --quant: {}",
                           where_, what, join(mixture_names())));
  }

  // Matrices of the layers in 4 bits with a factor a group; embedding and head as they were.
  std::string groups(const std::string& bits, const std::string& group, bool zeros) const {
    const std::string b = text(bits), g = text(group);
    if (b == "4" && g == "128") return zeros ? "awq" : "w4a16";
    refuse(fmt::format("{} bits in groups of {}", b.empty() ? "unnamed" : b, g.empty() ? "unnamed size" : g));
  }

  std::string bits_and_bytes() const {
    if (is_true("load_in_8bit")) return "w8a8";
    refuse(text("bnb_4bit_quant_type").empty() ? "bitsandbytes"
                                               : "bitsandbytes " + text("bnb_4bit_quant_type"));
  }

  // One group of all products, the head left out.
  std::string compressed() const {
    only_head_left();
    const Value* groups_of = find("config_groups");
    if (!groups_of || groups_of->entries().size() != 1) refuse("compressed-tensors in several groups");
    const std::string at = "config_groups." + groups_of->entries().front().key + ".weights.";
    const std::string bits = text(at + "num_bits"), type = text(at + "type"), by = text(at + "strategy");
    if (type == "int" && bits == "4" && by == "group")
      return groups(at + "num_bits", at + "group_size", is_false(at + "symmetric"));
    if (type == "int" && bits == "8" && by == "channel") return "w8a8";
    if (type == "float" && bits == "4" && text(at + "group_size") == "16") return "nvfp4";
    refuse(fmt::format("compressed-tensors of {}-bit {} by {}", bits, type, by));
  }

  std::string nvfp4() const {
    only_head_left();
    const std::string group = text("group_size");
    if (!group.empty() && group != "16") refuse("NVFP4 in groups of " + group);
    return "nvfp4";
  }

  // ModelOpt's 4 bits have no zero points unless it says so.
  std::string modelopt_int4() const {
    only_head_left();
    const std::string group = text("group_size");
    if (group == "128") return is_true("has_zero_point") ? "awq" : "w4a16";
    refuse_algorithm(fmt::format("4 bits in groups of {}", group.empty() ? "unnamed size" : group));
  }

  // What stays unquantised may be the ends, routers and other towers, as in the mixtures; layers may not.
  void only_head_left() const {
    for (const char* key : {"ignore", "exclude_modules"}) {
      const Value* list = find(key);
      if (!list || !list->is_list()) continue;
      for (const Value& item : list->items()) {
        const std::string& name = item.text();
        const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
        const bool fine = has("lm_head") || has("embed") || has("vision") || has("visual") || has("audio") ||
                          has("mtp") || (has("gate") && !has("gate_proj")) || has("router") || has("norm");
        if (!fine) refuse(fmt::format("'{}' is left as it was", name));
      }
    }
  }

  const Value& section_;
  std::string where_;
};

bool says_nothing(const Value* v) {
  return !v || v->is_null() || (v->is_scalar() && (v->text().empty() || v->text() == "null"));
}

}  // namespace

std::string modelopt_quant(const Value& document) {
  const Value* section = document.is_map() ? document.find("quantization") : nullptr;
  if (!section || !section->is_map())
    throw InputError(
        document.position(),
        fmt::format("'quantization' is missing, which a ModelOpt export has here to say how the weights "
                    "beside it are stored; give --quant: {}",
                    join(mixture_names())));
  // The cache alone may be quantised: its format is --kv's.
  if (says_nothing(section->find("quant_algo")) && !section->find("quant_method")) return "F16";
  return QuantReader(*section, "quantization").read();
}

std::string config_quant(const Value& document) {
  if (!document.is_map()) return "";
  for (const char* part : {"", "text_config", "llm_config"}) {
    const Value* section = *part == '\0' ? &document : document.find(part);
    if (!section || !section->is_map()) continue;
    for (const char* key : {"quantization_config", "compression_config"})
      if (const Value* q = section->find(key); q && q->is_map()) return QuantReader(*q, key).read();
    if (const Value* q = section->find("quantization"); q && q->is_map())
      throw InputError(
          q->position(),
          fmt::format("'quantization' describes weights of MLX (a factor and an offset a group), which no "
                      "mixture has; q4f16 has the bytes of 4 bits in groups of 64; give --quant: {}",
                      join(mixture_names())));
  }
  return "";
}

}  // namespace edgenpu::workload
