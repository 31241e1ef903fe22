#include "activity/counters.h"

#include "base/error.h"

namespace edgenpu::activity {

Counters::Counters(int operators, Timeline* timeline) : operators_(operators), timeline_(timeline) {}

CounterId Counters::declare(const CounterInfo& info) {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].name != info.name) continue;
    if (infos_[i].unit != info.unit || infos_[i].billable != info.billable)
      throw InternalError("counter '" + info.name + "' declared twice with different meanings");
    return CounterId(static_cast<std::int32_t>(i));
  }
  infos_.push_back(info);
  values_.emplace_back(static_cast<std::size_t>(operators_), 0);
  if (timeline_) series_.push_back(info.billable ? timeline_->declare(info.name) : SIZE_MAX);
  return CounterId(static_cast<std::int32_t>(infos_.size()) - 1);
}

void Counters::when(CounterId id, std::int64_t n, Femtoseconds start, Femtoseconds end) {
  const std::size_t series = series_[static_cast<std::size_t>(static_cast<std::int32_t>(id))];
  if (series != SIZE_MAX) timeline_->add(series, n, start, end);
}

Windows Counters::windows(Femtoseconds end) const {
  if (!timeline_) return {};
  Timeline complete = *timeline_;
  const Windows timed = timeline_->finish(end);
  for (std::size_t c = 0; c < infos_.size(); ++c) {
    if (series_[c] == SIZE_MAX) continue;
    Wide rest = 0;
    for (const std::int64_t n : values_[c]) rest += n;
    for (const std::int64_t n : timed.amounts[series_[c]]) rest -= n;
    if (rest != 0) complete.add(series_[c], narrow(rest), Femtoseconds(0), end);
  }
  return complete.finish(end);
}

}  // namespace edgenpu::activity
