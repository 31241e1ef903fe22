#include "activity/counters.h"

#include "base/error.h"

namespace edgenpu::activity {

Counters::Counters(int operators) : operators_(operators) {}

CounterId Counters::declare(const CounterInfo& info) {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].name != info.name) continue;
    if (infos_[i].unit != info.unit || infos_[i].billable != info.billable)
      throw InternalError("counter '" + info.name + "' declared twice with different meanings");
    return CounterId(static_cast<std::int32_t>(i));
  }
  infos_.push_back(info);
  values_.emplace_back(static_cast<std::size_t>(operators_), 0);
  return CounterId(static_cast<std::int32_t>(infos_.size()) - 1);
}

}  // namespace edgenpu::activity
