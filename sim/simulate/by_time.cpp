#include "simulate/by_time.h"

#include <numeric>

#include "base/rates.h"
#include "timing/background.h"
#include "timing/refresh.h"

namespace edgenpu::simulate_detail {

namespace {

using activity::LossTimes;
using activity::Snapshot;

std::int64_t scaled(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  return static_cast<std::int64_t>(static_cast<__int128>(value) * numerator / denominator);
}

std::vector<std::int64_t>& values_of(Snapshot& s, const std::string& counter) {
  for (std::size_t c = 0; c < s.counters.size(); ++c)
    if (s.counters[c].name == counter) return s.values[c];
  throw InternalError("a count that no memory declared: " + counter);
}

// `total` in proportion to the operators' times, each rounded so that they add up.
void share(Snapshot& s, const std::string& counter, std::int64_t total) {
  std::vector<std::int64_t>& values = values_of(s, counter);
  const LossTimes losses = s.total_losses();
  const std::int64_t all = std::accumulate(losses.begin(), losses.end(), std::int64_t{0});
  std::int64_t time = 0, given = 0;
  for (std::size_t op = 0; op < values.size(); ++op) {
    time = std::accumulate(s.losses[op].begin(), s.losses[op].end(), time);
    const std::int64_t until = op + 1 == values.size() ? total : scaled(total, time, all);
    values[op] = until - given;
    given = until;
  }
}

}  // namespace

void recount_by_time(Snapshot& whole, const Snapshot& simulated, const config::Memory& memory) {
  if (whole.time == simulated.time || simulated.time == Femtoseconds(0)) return;
  const auto refreshes = [&](Femtoseconds time) {
    return timing::refreshes_until(memory, cycle_at_or_after(time, memory.clock));
  };
  const char* counter = memory.refresh == config::RefreshMode::pb ? "dram_refresh_pb" : "dram_refresh_ab";
  // Still owed at the end; or, where idle ranks refresh themselves, not issued in proportion to the time.
  std::int64_t missing = refreshes(simulated.time) - simulated.total(counter);
  if (memory.controller.self_refresh_after > Cycles(0))
    missing = scaled(missing, whole.time.count(), simulated.time.count());
  share(whole, counter, refreshes(whole.time) - missing);
  if (!timing::has_background(memory)) return;
  // On their way at the end.
  const std::int64_t queued =
      timing::background_asked(memory, simulated.time).count() - simulated.total(timing::kBackgroundBytes);
  share(whole, timing::kBackgroundBytes, timing::background_asked(memory, whole.time).count() - queued);
}

}  // namespace edgenpu::simulate_detail
