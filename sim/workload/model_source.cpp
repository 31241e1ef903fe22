#include "workload/model_source.h"

#include <fmt/format.h>

#include "workload/import_config.h"
#include "workload/import_gguf.h"

namespace edgenpu::workload {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

StoredModel open_model(const std::string& name, const std::string& quant, const std::string& data_dir) {
  if (ends_with(name, ".gguf")) {
    if (!quant.empty())
      throw InputError(
          {"--quant", 0, 0},
          fmt::format("'{}' is given with {}, which has the types of its own tensors; leave it out", quant,
                      name));
    return import_gguf(name);
  }
  if (ends_with(name, ".json")) {
    const config::Value document = config::parse_file(name);
    const Model model = import_config(document, data_dir);
    // What the file says of its own weights, unless the user says another.
    const std::string own = quant.empty() ? config_quant(document) : quant;
    return store(model, own.empty() ? kDefaultQuant : own);
  }
  return store(find_model(name, data_dir), quant.empty() ? kDefaultQuant : quant);
}

}  // namespace edgenpu::workload
