#include "workload/transform.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/files.h"
#include "base/suggest.h"
#include "workload/transformer.h"

namespace edgenpu::workload {

using config::MapReader;
using config::Provenance;

StoredModel transform(StoredModel model, const config::Value& document) {
  Diagnostics out;
  MapReader r(document, out, "the transformation file", Provenance::optional);
  const std::string name = r.text("name");
  r.text("source", "");
  r.text("description", "");
  const config::Value* list = r.list("transformations");
  r.finish();
  if (list && list->items().empty()) r.error("transformations", "is empty; at least one is needed");
  out.throw_if_any();
  Transformer transformer(model);
  for (const config::Value& item : list->items()) transformer.apply(item);
  model.model.name += "+" + name;
  return model;
}

StoredModel transform(StoredModel model, const std::string& name_or_path, const std::string& data_dir) {
  const bool path = name_or_path.find('/') != std::string::npos ||
                    std::filesystem::path(name_or_path).extension() == ".yaml";
  if (path) return transform(std::move(model), config::parse_file(name_or_path));
  const std::string dir = data_dir + "/models/transformations";
  const std::vector<std::string> names = yaml_names(dir);
  if (std::find(names.begin(), names.end(), name_or_path) == names.end())
    throw InputError({"--transform", 0, 0},
                     fmt::format("unknown transformation '{}'; known in {}: {}{}", name_or_path, dir,
                                 names.empty() ? "none" : join(names), did_you_mean(name_or_path, names)));
  return transform(std::move(model), config::parse_file(dir + "/" + name_or_path + ".yaml"));
}

}  // namespace edgenpu::workload
