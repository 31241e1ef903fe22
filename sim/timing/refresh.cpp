#include "timing/refresh.h"

namespace edgenpu::timing {

Cycles refresh_interval(const config::Memory& m) {
  if (m.ideal || m.refresh == config::RefreshMode::none) return Cycles(0);
  return m.refresh == config::RefreshMode::pb ? m.t.tREFIpb : m.t.tREFI;
}

Cycles first_refresh(const config::Memory& m, int rank) {
  const std::int64_t interval = refresh_interval(m).count();
  return Cycles(interval - rank * interval / m.ranks);
}

std::int64_t refreshes_until(const config::Memory& m, Cycles end) {
  const std::int64_t interval = refresh_interval(m).count();
  if (interval == 0) return 0;
  std::int64_t of_channel = 0;
  for (int rank = 0; rank < m.ranks; ++rank)
    if (const std::int64_t first = first_refresh(m, rank).count(); first <= end.count())
      of_channel += 1 + (end.count() - first) / interval;
  return of_channel * m.channels;
}

double refreshes_per_second(const config::Memory& m) {
  const std::int64_t interval = refresh_interval(m).count();
  if (interval == 0) return 0;
  return static_cast<double>(m.clock.count()) / static_cast<double>(interval) * m.ranks * m.channels;
}

}  // namespace edgenpu::timing
