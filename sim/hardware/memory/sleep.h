// When a channel without work sleeps, and for how long it has slept.
//
// From the end of its last work: after controller.power_down_after in power-down, after
// controller.self_refresh_after in self-refresh (0: never); all ranks together, with all rows closed. The next
// request wakes it, and waits for tXP or tXSR. In self-refresh the devices refresh themselves.
#pragma once

#include <cstdint>

#include "config/memory.h"

namespace edgenpu::hardware {

// Rank-cycles by state; they sum to ranks x cycles.
struct PowerTimes {
  std::int64_t active = 0;      // standby with a row open
  std::int64_t precharged = 0;  // standby with all rows closed
  std::int64_t power_down = 0, self_refresh = 0;
};

class Sleep {
 public:
  explicit Sleep(const config::Memory& memory);

  // The channel has no more work from `cycle` on.
  void work_ends(std::int64_t cycle) { since_ = cycle; }
  // Without work meanwhile: when it falls asleep, and when self-refresh begins; kNever if it does not.
  std::int64_t begins() const;
  std::int64_t self_refresh_begins() const;

  struct Woken {
    bool refreshed = false;  // the devices did what was due meanwhile
    std::int64_t exit = 0;   // cycles until the first command
  };
  Woken wake(std::int64_t cycle);
  // The sleeping parts of all time until now; of an idle channel, until `cycle`.
  const PowerTimes& times() const { return times_; }
  PowerTimes times_until(std::int64_t cycle) const;

 private:
  std::int64_t down_after_, self_after_, down_exit_, self_exit_;
  int ranks_;
  std::int64_t since_ = 0;
  PowerTimes times_;
};

}  // namespace edgenpu::hardware
