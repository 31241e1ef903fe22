#include "base/rates.h"

#include <cmath>

namespace edgenpu {

namespace {
std::int64_t ceil_mul_div(std::int64_t a, std::int64_t b, std::int64_t c) {
  if (c <= 0) throw InternalError("a duration at no rate");
  return narrow((static_cast<Wide>(a) * b + c - 1) / c, FemtosecondsTag::kWhat);
}
}  // namespace

Femtoseconds time_of(Cycles cycles, Hertz clock) {
  return Femtoseconds(ceil_mul_div(cycles.count(), kFemtosecondsPerSecond, clock.count()));
}

Cycles cycle_at_or_after(Femtoseconds time, Hertz clock) {
  const Wide scaled = static_cast<Wide>(time.count()) * clock.count();
  std::int64_t cycle = narrow(scaled / kFemtosecondsPerSecond, CyclesTag::kWhat);
  // time_of rounds up, so the floor above may name a cycle that starts just before `time`.
  while (time_of(Cycles(cycle), clock) < time) ++cycle;
  return Cycles(cycle);
}

Femtoseconds time_of(Bytes bytes, BytesPerSecond rate) {
  return Femtoseconds(truncated(std::ceil(static_cast<double>(bytes.count()) / rate.count() *
                                          static_cast<double>(kFemtosecondsPerSecond)),
                                FemtosecondsTag::kWhat));
}

}  // namespace edgenpu
