#include "base/rates.h"

#include <cmath>

namespace edgenpu {

namespace {
using Wide = unsigned __int128;

std::int64_t ceil_mul_div(std::int64_t a, std::int64_t b, std::int64_t c) {
  const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
  return static_cast<std::int64_t>((product + static_cast<Wide>(c) - 1) / static_cast<Wide>(c));
}
}  // namespace

Femtoseconds time_of(Cycles cycles, Hertz clock) {
  return Femtoseconds(ceil_mul_div(cycles.count(), kFemtosecondsPerSecond, clock.count()));
}

Cycles cycle_at_or_after(Femtoseconds time, Hertz clock) {
  const Wide scaled = static_cast<Wide>(time.count()) * static_cast<Wide>(clock.count());
  auto cycle = static_cast<std::int64_t>(scaled / static_cast<Wide>(kFemtosecondsPerSecond));
  // time_of rounds up, so the floor above may name a cycle that starts just before `time`.
  while (time_of(Cycles(cycle), clock) < time) ++cycle;
  return Cycles(cycle);
}

Femtoseconds time_of(Bytes bytes, BytesPerSecond rate) {
  return Femtoseconds(static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes.count()) / rate.count() *
                                                          static_cast<double>(kFemtosecondsPerSecond))));
}

}  // namespace edgenpu
