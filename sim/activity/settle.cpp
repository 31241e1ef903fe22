#include "activity/settle.h"

#include <algorithm>

namespace edgenpu::activity {

void settle(EngineTimes& e, Femtoseconds time) {
  e.times = {};
  for (const BucketTimes& op : e.by_operator)
    for (std::size_t b = 0; b < op.size(); ++b) e.times[b] += op[b];
  Wide sum = 0;
  for (const Femtoseconds t : e.times) sum += t.count();
  if (sum == 0) {
    e.times[static_cast<std::size_t>(Bucket::idle)] = time;
    return;
  }
  std::int64_t settled = 0;
  for (Femtoseconds& t : e.times) {
    t = Femtoseconds(static_cast<std::int64_t>(static_cast<Wide>(t.count()) * time.count() / sum));
    settled += t.count();
  }
  *std::max_element(e.times.begin(), e.times.end()) += Femtoseconds(time.count() - settled);
}

void settle_time(Snapshot& s) {
  const Wide sum = sum_of(s.total_losses());
  const Wide time = (sum + s.channels - 1) / s.channels;
  if (time > INT64_MAX) time_overflow(static_cast<double>(time) * 1e-15);
  s.losses.back()[static_cast<std::size_t>(Loss::tail)] += time * s.channels - sum;
  s.time = Femtoseconds(static_cast<std::int64_t>(time));
}

}  // namespace edgenpu::activity
