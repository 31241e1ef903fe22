#include "hardware/memory/write_groups.h"

namespace edgenpu::hardware {

int WriteGroups::direction(std::int64_t now) {
  if (!writing_) return writing_ = starts(now);
  if (window_.size(1) > 0 && (window_.size(0) == 0 || window_.write_bursts() > controller_.write_low))
    return 1;
  window_.restart_write_age(now);
  writing_ = false;
  return 0;
}

bool WriteGroups::starts(std::int64_t now) const {
  if (window_.size(1) == 0) return false;
  if (window_.size(0) == 0 || window_.write_bursts() >= controller_.write_max) return true;
  if (now - window_.oldest_write() > controller_.write_age.count()) return true;
  return window_.write_bursts() >= controller_.write_high && !disturb_reads();
}

// A waiting write would close a row in a bank that reads wait for.
bool WriteGroups::disturb_reads() const {
  return (window_.waiting(1) & window_.waiting(0) & ~window_.hits(1)) != 0;
}

}  // namespace edgenpu::hardware
