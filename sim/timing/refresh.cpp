#include "timing/refresh.h"

namespace edgenpu::timing {

namespace {

MeanClocks interval_of(const config::Memory& m) {
  if (m.ideal || m.refresh == config::RefreshMode::none) return {};
  return m.refresh == config::RefreshMode::pb ? m.t.tREFIpb : m.t.tREFI;
}

}  // namespace

RefreshSchedule::RefreshSchedule(const config::Memory& m) : interval_(interval_of(m)), ranks_(m.ranks) {}

std::int64_t RefreshSchedule::until(int rank, std::int64_t end) const {
  if (never() || end < 0) return 0;
  return (interval_.passed(Cycles(end), ranks_) + rank) / ranks_;
}

std::int64_t refreshes_until(const config::Memory& m, Cycles end) {
  const RefreshSchedule schedule(m);
  std::int64_t of_channel = 0;
  for (int rank = 0; rank < m.ranks; ++rank) of_channel += schedule.until(rank, end.count());
  return of_channel * m.channels;
}

double refreshes_per_second(const config::Memory& m) {
  const RefreshSchedule schedule(m);
  if (schedule.never()) return 0;
  return static_cast<double>(m.clock.count()) / schedule.interval().value() * m.ranks * m.channels;
}

}  // namespace edgenpu::timing
