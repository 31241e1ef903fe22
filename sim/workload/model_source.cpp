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
  const std::string mixture = quant.empty() ? kDefaultQuant : quant;
  if (ends_with(name, ".json")) return store(import_config(config::parse_file(name)), mixture);
  return store(find_model(name, data_dir), mixture);
}

}  // namespace edgenpu::workload
