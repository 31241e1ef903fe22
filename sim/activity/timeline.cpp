#include "activity/timeline.h"

#include <algorithm>

#include "base/error.h"

namespace edgenpu::activity {

namespace {
constexpr std::size_t kMerged = 10;
}  // namespace

const std::vector<std::int64_t>* Windows::find(const std::string& name) const {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return &amounts[i];
  return nullptr;
}

std::size_t Timeline::declare(const std::string& name) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return i;
  names_.push_back(name);
  amounts_.emplace_back();
  return names_.size() - 1;
}

void Timeline::coarsen() {
  for (auto& windows : amounts_) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const std::int64_t amount = windows[i];
      windows[i] = 0;
      windows[i / kMerged] = checked_add(windows[i / kMerged], amount);
    }
    windows.resize((windows.size() + kMerged - 1) / kMerged);
  }
  window_ = window_ * static_cast<std::int64_t>(kMerged);
}

std::int64_t& Timeline::at(std::size_t series, std::size_t window) {
  std::vector<std::int64_t>& windows = amounts_[series];
  if (window >= windows.size()) windows.resize(window + 1, 0);
  return windows[window];
}

void Timeline::add(std::size_t series, std::int64_t amount, Femtoseconds start, Femtoseconds end) {
  if (start < Femtoseconds(0) || end < start)
    throw InternalError("an amount was booked on no stretch of time");
  while (window_of(end) >= options_.most) {
    if (options_.fixed)
      throw InfeasibleError("power over time: the run has more than " + std::to_string(options_.most) +
                            " windows of the length asked for; ask for longer ones");
    coarsen();
  }
  const std::size_t first = window_of(start), last = window_of(end);
  if (first == last) {
    std::int64_t& sum = at(series, first);
    sum = checked_add(sum, amount);
    return;
  }
  const auto before = [&](std::size_t window) {
    const auto border = static_cast<std::int64_t>(window) * window_.count();
    return static_cast<std::int64_t>(static_cast<Wide>(amount) * (border - start.count()) /
                                     (end - start).count());
  };
  std::int64_t booked = 0;
  for (std::size_t w = first; w <= last; ++w) {
    const std::int64_t up_to = w == last ? amount : before(w + 1);
    std::int64_t& sum = at(series, w);
    sum = checked_add(sum, up_to - booked);
    booked = up_to;
  }
}

Windows Timeline::finish(Femtoseconds end) const {
  Windows result{window_, names_, amounts_};
  const std::size_t n = end > Femtoseconds(0) ? window_of(end - Femtoseconds(1)) + 1 : 1;
  for (auto& windows : result.amounts) {
    for (std::size_t i = n; i < windows.size(); ++i) windows[n - 1] = checked_add(windows[n - 1], windows[i]);
    windows.resize(n, 0);
  }
  return result;
}

}  // namespace edgenpu::activity
