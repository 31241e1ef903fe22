#include "lowering/wishes.h"

#include <algorithm>

#include "base/error.h"
#include "base/pattern.h"
#include "base/suggest.h"

namespace edgenpu::lowering {

namespace {

std::vector<std::string> names_of_products(const workload::Trace& trace) {
  std::vector<std::string> names;
  for (const workload::Operator& op : trace.operators) {
    if (!std::holds_alternative<workload::MatMul>(op.body)) continue;
    const std::string name = name_within_layer(op);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

bool named_by(const std::string& pattern, const workload::Operator& op) {
  return matches(pattern, op.name) || matches(pattern, name_within_layer(op));
}

bool named_by(const std::string& pattern, const std::string& name) {
  return matches(pattern, name) || matches(pattern, name_within_layer(name));
}

std::string name_within_layer(const workload::Operator& op) {
  return op.layer < 0 ? op.name : op.name.substr(op.name.find('.', op.name.find('.') + 1) + 1);
}

std::string name_within_layer(const std::string& name) {
  return name.rfind("blk.", 0) == 0 ? name.substr(name.find('.', name.find('.') + 1) + 1) : name;
}

Wishes wishes_of(const workload::Trace& trace, const config::Npu& npu) {
  Wishes wishes;
  if (npu.plan.empty()) return wishes;
  wishes.resize(trace.operators.size(), nullptr);
  Diagnostics out;
  for (const config::PlanOverride& wish : npu.plan) {
    bool used = false;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const workload::Operator& op = trace.operators[i];
      if (!std::holds_alternative<workload::MatMul>(op.body) || !named_by(wish.pattern, op)) continue;
      used = true;
      if (!wishes[i]) wishes[i] = &wish;
    }
    const std::vector<std::string> names = names_of_products(trace);
    if (!used)
      out.add(wish.where, "lowering.plan has '" + wish.pattern + "', which is no matrix product of " +
                              trace.model + "; there are " + join(names) + did_you_mean(wish.pattern, names));
  }
  out.throw_if_any();
  return wishes;
}

}  // namespace edgenpu::lowering
