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

void check_name(const std::string& name, const Position& where, const std::string& what,
                const std::vector<std::string>& known, Diagnostics& out) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    out.add(where,
            "'" + name + "' is no " + what + "; there are: " + join(known) + did_you_mean(name, known));
}

void check_keys(const config::Value* map, const std::string& what, const std::vector<std::string>& known,
                Diagnostics& out) {
  if (!map || !map->is_map()) return;
  for (const config::Value::Entry& e : map->entries())
    if (e.key != "source") check_name(e.key, e.key_position, what, known, out);
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
  if (const config::Value* quants = config::find_path(tree, "toolkit.quants"))
    for (const config::Value& quant : quants->items())
      check_name(quant.text(), quant.position(), "quantisation", workload::mixture_names(), out);
  out.throw_if_any();
}

}  // namespace edgenpu::simulate_detail
