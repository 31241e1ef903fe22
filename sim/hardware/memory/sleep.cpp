#include "hardware/memory/sleep.h"

#include <algorithm>

#include "hardware/memory/dram_state.h"

namespace edgenpu::hardware {

Sleep::Sleep(const config::Memory& m)
    : down_after_(m.controller.power_down_after.count()),
      self_after_(m.controller.self_refresh_after.count()),
      down_exit_(m.t.tXP.count()),
      self_exit_(m.t.tXSR.count()),
      ranks_(m.ranks) {}

std::int64_t Sleep::self_refresh_begins() const {
  return self_after_ > 0 ? since_ + self_after_ : kNever;
}

std::int64_t Sleep::begins() const {
  return std::min(down_after_ > 0 ? since_ + down_after_ : kNever, self_refresh_begins());
}

PowerTimes Sleep::times_until(std::int64_t cycle) const {
  const auto after = [&](std::int64_t wait, std::int64_t end) {
    return wait > 0 ? std::max<std::int64_t>(0, end - since_ - wait) : 0;
  };
  PowerTimes times = times_;
  const std::int64_t in_self = after(self_after_, cycle);
  times.power_down += after(down_after_, cycle - in_self) * ranks_;
  times.self_refresh += in_self * ranks_;
  return times;
}

Sleep::Woken Sleep::wake(std::int64_t cycle) {
  const PowerTimes before = times_;
  times_ = times_until(cycle);
  if (times_.self_refresh > before.self_refresh) return {true, self_exit_};
  return {false, times_.power_down > before.power_down ? down_exit_ : 0};
}

}  // namespace edgenpu::hardware
