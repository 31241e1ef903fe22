// When refreshes fall due: the first of rank r of R after (1 - r / R) of an interval (ranks take turns, so that
// not all of them stop at once), then one each interval, whether the rank is used or not. All channels alike.
// The interval is tREFI, of one bank tREFIpb; it is a mean: a refresh falls due at the last whole clock before
// its time, so that none is late (JESD209-5B gives a maximum) and their number is exact over any time.
#pragma once

#include <cstdint>

#include "config/memory.h"

namespace edgenpu::timing {

class RefreshSchedule {
 public:
  explicit RefreshSchedule(const config::Memory& memory);

  bool never() const { return interval_.never(); }
  // The clock at which refresh n of a rank falls due; n from 0.
  std::int64_t due(int rank, std::int64_t n) const {
    return interval_.of((n + 1) * ranks_ - rank, ranks_).count();
  }
  // Refreshes of a rank that are due up to and including clock `end`: the number of the next one.
  std::int64_t until(int rank, std::int64_t end) const;
  const MeanClocks& interval() const { return interval_; }

 private:
  MeanClocks interval_;
  std::int64_t ranks_;
};

// Of all channels and ranks, up to and including clock `end`; what self-refresh takes over is among them.
std::int64_t refreshes_until(const config::Memory& memory, Cycles end);
// Of all channels and ranks.
double refreshes_per_second(const config::Memory& memory);

}  // namespace edgenpu::timing
