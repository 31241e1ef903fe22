#include "workload/import_config.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/suggest.h"
#include "workload/config_reader.h"

namespace edgenpu::workload {
namespace {

using config::Value;

std::string text_of(const Value& map, const char* key) {
  const Value* v = map.find(key);
  return v && v->is_scalar() ? v->text() : "";
}

std::string letters(const std::string& word) {
  std::string kept;
  for (const char c : word)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      kept += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return kept;
}

// Files of models/ of the architecture that the type names, and of these width and depth if it says them.
std::vector<std::string> same_shape(const Value& section, const std::string& type,
                                    const std::string& data_dir) {
  std::string word = letters(type);
  if (const std::string end = "text";
      word.size() > end.size() && word.substr(word.size() - end.size()) == end)
    word.resize(word.size() - end.size());
  std::vector<std::string> alike, exact;
  if (data_dir.empty()) return alike;
  for (const std::string& name : model_names(data_dir)) {
    const Model m = find_model(name, data_dir);
    if (letters(m.gguf_arch) != word) continue;
    alike.push_back(name);
    if (text_of(section, "hidden_size") == std::to_string(m.hidden) &&
        text_of(section, "num_hidden_layers") == std::to_string(m.layers))
      exact.push_back(name);
  }
  return exact.empty() ? alike : exact;
}

[[noreturn]] void refuse_type(const Value& type, const Value& section, const std::string& data_dir) {
  const std::vector<std::string> models = same_shape(section, type.text(), data_dir);
  const std::string way = models.empty()
                              ? "describe its shape in a model YAML (models/)"
                              : "--model with what models/ has of this architecture: " + join(models);
  throw InputError(type.position(), fmt::format("model_type '{}' is not read; the way on: {}; read are: {}",
                                                type.text(), way, join(config_type_names())));
}

// MLC's own file beside its compiled models keeps the shape in a section.
void refuse_mlc(const Value& document) {
  const Value* section = document.find("model_config");
  if (section && section->is_map())
    throw InputError(
        section->position(),
        "a configuration of MLC (mlc-chat-config.json), whose numbers stand in 'model_config'; give the "
        "config.json of the model that it was made from, with --quant (q4f16 is MLC's q4f16_1)");
}

// Keys of a wrapper beside its parts.
void check_wrapper(const Value& document, const std::string& section, const std::string& type) {
  Diagnostics out;
  ConfigKeys keys(document, fmt::format("model_type '{}'", type), out);
  keys.ignore(section);
  for (const Value::Entry& e : document.entries())
    if (of_towers(e.key)) keys.ignore(e.key);
  keys.finish();
  out.throw_if_any();
}

}  // namespace

Model import_config(const Value& document, const std::string& data_dir) {
  if (document.is_map()) refuse_mlc(document);
  const Value* type = document.is_map() ? document.find("model_type") : nullptr;
  if (!type || !type->is_scalar())
    throw InputError(document.position(),
                     "'model_type' is missing; a config.json of a language model has it");
  std::string inner;
  const std::string section = text_part(type->text(), inner);
  const Value* text = section.empty() ? nullptr : document.find(section);
  if (!text || !text->is_map()) {
    // Older files of Qwen-VL have the language model's numbers beside the towers.
    const ConfigType* known = config_type(section.empty() ? type->text() : inner);
    const Value* part = document.find("text_config");
    if (!known) refuse_type(*type, part && part->is_map() ? *part : document, data_dir);
    return ConfigReader(document, *known, nullptr).read();
  }
  check_wrapper(document, section, type->text());
  const Value* own = text->find("model_type");
  if (own && own->is_scalar()) inner = own->text();
  const ConfigType* known = config_type(inner);
  if (!known) refuse_type(own ? *own : *type, *text, data_dir);
  return ConfigReader(*text, *known, &document).read();
}

}  // namespace edgenpu::workload
