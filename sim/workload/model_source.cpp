#include "workload/model_source.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/files.h"
#include "config/value.h"
#include "workload/import_config.h"
#include "workload/import_gguf.h"

namespace edgenpu::workload {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string quant_of_config(const std::string& file) {
  const std::string own = config_quant(config::parse_file(file));
  const std::string beside = (std::filesystem::path(file).parent_path() / "hf_quant_config.json").string();
  if (kind_of(beside, {beside}) == PathKind::absent) return own;
  const std::string exported = modelopt_quant(config::parse_file(beside));
  if (!own.empty() && own != exported)
    throw InputError(
        {beside}, fmt::format("says that the weights are {}, and {} that they are {}; give --quant", exported,
                              file, own));
  return exported;
}

}  // namespace

std::string stated_quant(const std::string& name, const std::string& quant) {
  return quant.empty() && ends_with(name, ".json") ? quant_of_config(name) : quant;
}

bool is_gguf(const std::string& name_or_path) {
  return ends_with(name_or_path, ".gguf");
}

StoredModel open_model(const std::string& name, const std::string& quant, const std::string& data_dir) {
  if (is_gguf(name)) {
    if (!quant.empty())
      throw InputError(
          {"--quant", 0, 0},
          fmt::format("'{}' is given with {}, which has the types of its own tensors; leave it out", quant,
                      name));
    return import_gguf(name);
  }
  const Model model = ends_with(name, ".json") ? import_config(config::parse_file(name), data_dir)
                                               : find_model(name, data_dir);
  const std::string stated = stated_quant(name, quant);
  return store(model, stated.empty() ? kDefaultQuant : stated);
}

}  // namespace edgenpu::workload
