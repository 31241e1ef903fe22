// When refreshes fall due: the first of rank r of R after (1 - r / R) of an interval (ranks take turns, so that
// not all of them stop at once), then one each interval, whether the rank is used or not. All channels alike.
// The interval is tREFI, of one bank tREFIpb.
#pragma once

#include <cstdint>

#include "config/memory.h"

namespace edgenpu::timing {

// 0 without refresh.
Cycles refresh_interval(const config::Memory& memory);
Cycles first_refresh(const config::Memory& memory, int rank);

// Of all channels and ranks, up to and including clock `end`; what self-refresh takes over is among them.
std::int64_t refreshes_until(const config::Memory& memory, Cycles end);
// Of all channels and ranks.
double refreshes_per_second(const config::Memory& memory);

}  // namespace edgenpu::timing
