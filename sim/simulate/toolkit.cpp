#include "simulate/toolkit.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "config/toolkit.h"
#include "workload/mixture.h"
#include "workload/model_source.h"

namespace edgenpu::simulate_detail {

namespace {

std::optional<config::Toolkit> toolkit_of(const config::Value& tree) {
  Diagnostics out;
  std::optional<config::Toolkit> toolkit = config::read_toolkit(tree, out);
  out.throw_if_any();
  return toolkit;
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

StepRequest with_default_quant(StepRequest request, const config::Value& tree) {
  if (!request.trace_file.empty() || workload::is_gguf(request.model) ||
      !workload::stated_quant(request.model, request.quant).empty())
    return request;
  if (const auto toolkit = toolkit_of(tree)) request.quant = toolkit->fallback;
  return request;
}

void check_toolkit(const workload::Trace& trace, const config::Value& tree) {
  const auto toolkit = toolkit_of(tree);
  // A trace by hand may call its formats what it likes: the runtime's kernels decide.
  if (!toolkit || !is_in(vocabulary::mixture_names(), trace.quant)) return;
  std::vector<std::string> names;
  for (const config::Value& quant : toolkit->quants) names.push_back(quant.text());
  if (is_in(names, trace.quant)) return;
  const config::Value* chip = tree.find("name");
  throw InfeasibleError(fmt::format("the toolkit of {} ({}) makes no model in {}; it makes: {}",
                                    chip ? chip->text() : "this chip", toolkit->runtime, trace.quant,
                                    join(names)));
}

}  // namespace edgenpu::simulate_detail
