#include "simulate/known_names.h"

#include <algorithm>

#include "base/suggest.h"
#include "workload/format.h"
#include "workload/mixture.h"

namespace edgenpu::simulate_detail {

namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const workload::FormatInfo& f : workload::all_formats()) names.push_back(f.name);
  return names;
}

void check_keys(const config::Value* map, const std::string& what, const std::vector<std::string>& known,
                Diagnostics& out) {
  if (!map || !map->is_map()) return;
  for (const config::Value::Entry& e : map->entries())
    if (e.key != "source" && std::find(known.begin(), known.end(), e.key) == known.end())
      out.add(e.key_position,
              "'" + e.key + "' is no " + what + "; there are: " + join(known) + did_you_mean(e.key, known));
}

}  // namespace

void check_known_names(const config::Value& tree) {
  Diagnostics out;
  const std::vector<std::string> formats = format_names();
  check_keys(config::find_path(tree, "matrix.decode"), "format", formats, out);
  check_keys(tree.find("runtime_for"), "quantisation", workload::mixture_names(), out);
  if (const config::Value* kernels = config::find_path(tree, "runtime.kernels"))
    for (const config::Value::Entry& isa : kernels->entries())
      for (const char* table : {"formats", "narrow.below", "batch.formats"})
        check_keys(config::find_path(isa.value, table), "format", formats, out);
  out.throw_if_any();
}

}  // namespace edgenpu::simulate_detail
